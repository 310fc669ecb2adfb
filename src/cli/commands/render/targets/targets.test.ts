import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fakeProcess } from '../../../../../test/support/fake-process.ts';
import { tempDir } from '../../../../../test/support/temp.ts';
import { runCommandLine } from '../../../run.ts';
import { RENDER_COMMANDS } from '../index.ts';

async function render(...argv: readonly string[]) {
  const process = fakeProcess();
  process.stdin.end('');
  const set = { commands: RENDER_COMMANDS, groups: { render: 'Render' } };
  const status = await runCommandLine(['render', ...argv], set, process);
  return { status, stdout: process.stdout.text, stderr: process.stderr.text };
}

const SYNC = 'mirror sync -c "image set.yaml" --to docker://mirror.example:5000 --max-rate 20M';

test('mirror-timer writes the command as a shell would read it', async () => {
  const { stdout } = await render('mirror-timer', '--run', SYNC);

  expect(stdout).toContain(
    'ExecStart=/usr/local/bin/atoll mirror sync -c "image set.yaml" --to docker://mirror.example:5000 --max-rate 20M\n',
  );
  const backup = ['--run', 'registry backup --dir /opt/registry --to /mnt/backup'];
  expect((await render('mirror-timer', ...backup)).status).toBe(0);
  expect((await render('mirror-timer', '--part', 'timer')).stdout).toContain('OnCalendar=daily');
});

test.each([
  [[], 'Give --run a whole command'],
  [['--run', 'mirror outdated'], '-c, --config <FILE> is missing'],
  [['--run', 'mirror snyc -c a'], "Unknown command 'snyc'"],
  [['--run', `${SYNC} --windw 1:00-2:00`], "Unknown option '--windw'"],
  [['--run', 'mirror sync --help'], 'it only shows help'],
  [['--run', 'mirror sync -c "a'], 'a quote has no end'],
  [['--run', 'mirror prune --at docker://m.example --execute'], 'add --yes'],
])('mirror-timer refuses what would fail every night: %j', async (argv, found) => {
  const { status, stdout, stderr } = await render('mirror-timer', ...argv);

  expect([status, stdout]).toEqual([2, '']);
  expect(stderr).toContain(found);
});

const DIGEST = `sha256:${'a'.repeat(64)}`;

test('pinned-images takes only what has a digest: nodes pin nothing else', async () => {
  const tag = await render('pinned-images', '--image', 'quay.io/team/app:v1');
  const both = await render('pinned-images', '--image', `quay.io/team/app:v1@${DIGEST}`);

  expect([tag.status, tag.stdout]).toEqual([2, '']);
  expect(tag.stderr).toContain('"quay.io/team/app:v1": it has no digest');
  expect(both.stdout).toContain(`- name: quay.io/team/app@${DIGEST}\n`);
});

test('pinned-images of a release that is not there names those that are', async () => {
  const report = join(await tempDir(), 'mirrored.json');
  const image = (version: string) => ({
    kind: 'release',
    source: `quay.io/openshift-release-dev/ocp-release@${DIGEST}`,
    target: `mirror.example:5000/openshift/release-images:${version}-x86_64`,
    digest: DIGEST,
    reason: 'made up',
    release: { version, architecture: 'amd64' },
  });
  await writeFile(
    report,
    JSON.stringify({ version: 1, images: [image('4.18.1'), image('5.0.1')] }),
  );

  const { status, stderr } = await render(
    'pinned-images',
    '--report',
    report,
    '--release',
    '5.0.2',
  );

  expect(status).toBe(2);
  expect(stderr).toContain('5.0.2');
  expect(stderr).toContain('4.18.1, 5.0.1');
});

const catalogs = (...names: string[]) =>
  names.flatMap((name) => ['--catalog', `mirror.example:5000/redhat/${name}`]);

test('catalog-sources can have the names that connected clusters know', async () => {
  const given = catalogs('redhat-operator-index:v5.0', 'team-index:v1');

  const { stdout } = await render('catalog-sources', ...given, '--no-defaults', '--default-names');
  const on = await render('catalog-sources', ...given, '--default-names');
  const both = catalogs('redhat-operator-index:v5.0', 'redhat-operator-index:v4.23');
  const twice = await render('catalog-sources', ...both, '--no-defaults', '--default-names');

  expect(stdout).toContain('name: redhat-operators\n');
  expect(stdout).toContain('name: cs-team-index-v1\n');
  expect([on.status, twice.status]).toEqual([2, 2]);
  expect(on.stderr).toContain('Add --no-defaults');
  expect(twice.stderr).toContain('two catalogs would be "redhat-operators"');
});
