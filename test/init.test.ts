import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { parse } from 'yaml';
import { COMMANDS, GROUPS } from '../src/cli/commands/index.ts';
import { runCommandLine } from '../src/cli/run.ts';
import { CATALOG_IMAGE } from '../src/lab/upstream/upstream.ts';
import { fakeProcess } from './support/fake-process.ts';
import { type LabUpstream, startLabUpstream } from './support/lab-upstream.ts';
import { siteFolder } from './support/site.ts';
import { tempDir } from './support/temp.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 });

/** Runs a command on a terminal whose user answers questions by their words, each answer once. */
async function conversation(argv: readonly string[], answers: readonly [RegExp, string][]) {
  const own = fakeProcess({ PATH: process.env.PATH ?? '', HOME: '/nonexistent' });
  own.stdin.isTTY = true;
  own.stderr.isTTY = true;
  const left = [...answers];
  const write = own.stderr.write.bind(own.stderr);
  own.stderr.write = ((text: string, ...rest: []) => {
    if (text.endsWith('] ')) {
      const found = left.findIndex(([question]) => question.test(text));
      const [[, answer] = []] = found < 0 ? [[]] : left.splice(found, 1);
      setImmediate(() => own.stdin.write(`${answer ?? ''}\n`));
    }
    return write(text, ...rest);
  }) as typeof own.stderr.write;
  const status = await runCommandLine(argv, { commands: COMMANDS, groups: GROUPS }, own);
  return { status, text: own.stderr.text, unused: left };
}

describe('atoll init on a terminal', () => {
  let upstream: LabUpstream;
  let folder: string;
  let secret: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'atoll-init-'));
    upstream = await startLabUpstream(folder);
    secret = join(folder, 'pull-secret.json');
    await writeFile(secret, '{"auths":{"quay.io":{"auth":"YTpi"}}}', { mode: 0o600 });
    await writeFile(join(folder, 'id.pub'), 'ssh-ed25519 AAAA a@b\n');
  });
  afterAll(async () => {
    await upstream?.registry.stop();
    await rm(folder, { recursive: true, force: true });
  });
  const files = (): [RegExp, string][] => [
    [/Pull secret file/, secret],
    [/Public SSH key/, secret.replace('pull-secret.json', 'id.pub')],
  ];
  const reach = () => [
    ...['--graph', upstream.files.graph, '--registries-conf', upstream.registriesConf],
    '--insecure',
  ];

  test('offers the versions of the channel and the operators of the catalog, and checks each answer at once', async () => {
    const to = join(await tempDir(), 'atoll.yaml');

    const { status, text, unused } = await conversation(
      ['init', '--to', to, ...reach()],
      [
        [/^Name of the site/, 'North!'],
        [/Name of the site/, 'north'],
        [/OpenShift release \(4\.18\.1, 4\.18\.2\)/, '4.18.7'],
        [/stable-4\.18 has no "4\.18\.7"/, '4.18.1'],
        [/^Operators/, '?'],
        [/the catalog has .*lab-storage/, 'lab-storge'],
        [/no "lab-storge"; did you mean "lab-storage"\?/, 'lab-storage'],
        ...files(),
      ],
    );

    expect({ status, text, unused }).toMatchObject({ status: 0, unused: [] });
    expect(text).toContain('a name has small letters');
    expect(parse(await readFile(to, 'utf8'))).toMatchObject({
      ...{ name: 'north', release: { version: '4.18.1' } },
      mirror: { operators: [{ catalog: CATALOG_IMAGE, packages: [{ name: 'lab-storage' }] }] },
    });
  });

  test('asks plainly where nobody can say what there is', async () => {
    const to = join(await tempDir(), 'atoll.yaml');
    const nowhere = ['--graph', join(to, 'none'), '--registries-conf', upstream.registriesConf];

    const { status, text } = await conversation(
      ['init', '--to', to, ...nowhere],
      [[/^OpenShift release \[/, '4.18.2'], ...files()],
    );

    expect({ status, text }).toMatchObject({ status: 0 });
    expect(parse(await readFile(to, 'utf8'))).toMatchObject({ release: { version: '4.18.2' } });
  });

  test('atoll validate refuses a release that the channel of a graph on disk does not hold', async () => {
    const key = { cluster: { sshKey: 'id.pub' } };
    const validated = async (version: string, mirror: object) => {
      const { site } = await siteFolder(
        { ...key, release: { version }, mirror },
        { 'id.pub': 'ssh-ed25519 AAAA a@b\n' },
      );
      const own = fakeProcess({ PATH: process.env.PATH ?? '' });
      const argv = ['validate', '--site', site];
      const status = await runCommandLine(argv, { commands: COMMANDS, groups: GROUPS }, own);
      return { status, text: own.stdout.text + own.stderr.text };
    };
    const graph = { graph: upstream.files.graph };

    expect(await validated('4.18.2', graph)).toEqual({
      status: 0,
      text: expect.stringMatching(/ is valid\n$/),
    });
    expect(await validated('4.18.9', graph)).toMatchObject({
      status: 3,
      text: expect.stringMatching(/stable-4\.18 does not hold it[\s\S]*4\.18\.1, 4\.18\.2/),
    });
    expect(await validated('4.18.9', {})).toMatchObject({
      status: 0,
      text: expect.stringContaining('not looked at: whether stable-4.18 holds 4.18.9'),
    });
  });
});

test('atoll init writes a site to a pipe, and leaves nothing beside it', async () => {
  const directory = await tempDir();
  const pipe = join(directory, 'pipe');
  await promisify(execFile)('mkfifo', [pipe]);
  const reader = promisify(execFile)('cat', [pipe]);
  const own = fakeProcess();
  const site = ['--name', 'north', '--release', '4.18.2', '--platform', 'none'];
  const hosts = ['--base-domain', 'example.com', '--registry-host', 'mirror.example.com'];
  const argv = ['init', '--to', pipe, ...site, ...hosts];

  const status = await runCommandLine(argv, { commands: COMMANDS, groups: GROUPS }, own);

  expect([status, own.stderr.text]).toEqual([0, '']);
  expect(parse((await reader).stdout)).toMatchObject({ name: 'north' });
  expect(await readdir(directory)).toEqual(['pipe']);
});
