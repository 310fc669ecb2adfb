import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tempDir } from '../../../test/support/temp.ts';
import { silentContext } from '../../core/context.ts';
import { digestOf } from '../../oci/digest.ts';
import { parseReference } from '../../oci/reference.ts';
import { type KnownImage, WorkingDir } from './working-dir.ts';
import { writeResources } from './write-resources.ts';

const ctx = silentContext();

function catalogAt(target: string): KnownImage {
  const source = parseReference('registry.example/redhat/index:v4.18');
  const image = { kind: 'catalog', source, reason: 'a catalog', catalog: target } as const;
  return { image, target: parseReference(target), digest: digestOf(target) };
}

async function written(workingDir: WorkingDir, ...targets: string[]): Promise<string[]> {
  await workingDir.addMirrored(targets.map(catalogAt));
  await writeResources(ctx, workingDir);
  return (await readdir(workingDir.file('cluster-resources'))).toSorted();
}

const imageIn = async (workingDir: WorkingDir, file: string) =>
  /image: (?<image>\S+)/.exec(
    await readFile(join(workingDir.path, 'cluster-resources', file), 'utf8'),
  )?.groups?.image;

test('writeResources leaves a catalog its name when another comes that would have it', async () => {
  const workingDir = new WorkingDir(await tempDir());
  await written(workingDir, 'm.example/team-b/index:v4.18');

  const files = await written(workingDir, 'm.example/team-a/index:v4.18');

  expect(files).toEqual([
    'cc-index-v4-18-1.yaml',
    'cc-index-v4-18.yaml',
    'cs-index-v4-18-1.yaml',
    'cs-index-v4-18.yaml',
  ]);
  expect(await imageIn(workingDir, 'cs-index-v4-18.yaml')).toBe('m.example/team-b/index:v4.18');
  expect(await imageIn(workingDir, 'cs-index-v4-18-1.yaml')).toBe('m.example/team-a/index:v4.18');
  expect(await written(workingDir)).toEqual(files);
});

test('writeResources finds a name for any catalog a registry may hold', async () => {
  const workingDir = new WorkingDir(await tempDir());

  const files = await written(
    workingDir,
    `m.example/${'long-'.repeat(20)}index:v4.18`,
    'm.example/index:v4.18.20261-15',
  );

  expect(files.filter((name) => name.startsWith('cs-'))).toEqual([
    'cs-index-v4-18-20261.yaml',
    'cs-long-long-long-long-long-long-long-long-v4-18.yaml',
  ]);
});

test('writeResources names another mirror with the same content second in every rule', async () => {
  const workingDir = new WorkingDir(await tempDir());
  const source = parseReference(`quay.io/openshift-release-dev/ocp-release@${digestOf('r')}`);
  const image = { kind: 'release', source, reason: 'a release' } as const;
  const target = parseReference('m.example:5000/ocp/openshift/release-images:4.18.1-x86_64');
  await workingDir.addMirrored([{ image, target, digest: digestOf('r') }]);

  const alsoAt = { of: 'm.example:5000/ocp', mirrors: ['n.example'] };
  const { installConfig } = await writeResources(ctx, workingDir, { alsoAt });

  const file = join(workingDir.path, 'cluster-resources', 'idms-oc-mirror.yaml');
  const both = ['m.example:5000/ocp', 'n.example'].map((at) => `${at}/openshift/release-images`);
  for (const text of [await readFile(file, 'utf8'), installConfig ?? ''])
    expect(text.match(/(?<=- )\S+release-images/g)).toEqual(both);
});

test('writeResources remembers other mirrors until it is told of others or of none', async () => {
  const workingDir = new WorkingDir(await tempDir());
  const source = parseReference(`quay.io/openshift-release-dev/ocp-release@${digestOf('r')}`);
  const image = { kind: 'release', source, reason: 'a release' } as const;
  const target = parseReference('m.example:5000/ocp/openshift/release-images:4.18.1-x86_64');
  await workingDir.addMirrored([{ image, target, digest: digestOf('r') }]);
  const mirrorsWith = async (...mirrors: readonly string[][]) => {
    const [given] = mirrors;
    const alsoAt = given && { of: 'm.example:5000/ocp', mirrors: given };
    const { installConfig } = await writeResources(ctx, workingDir, { alsoAt });
    return installConfig?.match(/(?<=- )\S+(?=\/openshift\/release-images)/g);
  };

  expect(await mirrorsWith()).toEqual(['m.example:5000/ocp']);
  expect(await mirrorsWith(['n.example', 'o.example/x'])).toHaveLength(3);
  expect(await mirrorsWith()).toEqual(['m.example:5000/ocp', 'n.example', 'o.example/x']);
  expect(await mirrorsWith(['p.example'])).toEqual(['m.example:5000/ocp', 'p.example']);
  expect(await mirrorsWith([])).toEqual(['m.example:5000/ocp']);
  expect(await mirrorsWith()).toEqual(['m.example:5000/ocp']);
});

test('writeResources names a memory of other mirrors that it cannot read', async () => {
  const workingDir = new WorkingDir(await tempDir());
  const path = workingDir.file('other-mirrors.json');
  await mkdir(workingDir.path, { recursive: true });
  await writeFile(path, '{"version":2}');

  await expect(writeResources(ctx, workingDir)).rejects.toMatchObject({
    code: 'INPUT_INVALID',
    message: `Cannot read "${path}": it is not what atoll wrote`,
    hint: expect.stringContaining('--also-at'),
  });
});
