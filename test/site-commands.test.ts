import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { COMMANDS, GROUPS } from '../src/cli/commands/index.ts';
import { runCommandLine } from '../src/cli/run.ts';
import { silentContext } from '../src/core/context.ts';
import { acquireLock } from '../src/core/lock.ts';
import { forgetSecrets } from '../src/core/redact.ts';
import { fakeProcess } from './support/fake-process.ts';
import { openTestSite, siteFolder } from './support/site.ts';
import { tempDir } from './support/temp.ts';

async function atoll(...argv: string[]) {
  const own = fakeProcess({ PATH: process.env.PATH ?? '' });
  const status = await runCommandLine(argv, { commands: COMMANDS, groups: GROUPS }, own);
  return { status, stdout: own.stdout.text, stderr: own.stderr.text };
}

describe('commands that only look', () => {
  // The names of that site are in no DNS, which stands in the way of what is planned.
  const LOOKING: [line: string, expected: number][] = [
    ['plan', 3],
    ['status', 0],
    ['up --dry-run', 0],
    ['down --dry-run', 0],
  ];

  test.each(LOOKING)('atoll %s leaves no trace', async (line, expected) => {
    const { folder, site } = await siteFolder();
    const before = await readdir(folder);

    const { status } = await atoll(...line.split(' '), '--site', site);

    expect(status).toBe(expected);
    expect(await readdir(folder)).toEqual(before);
  });

  test.each(LOOKING)('atoll %s looks while another run is at work', async (line, expected) => {
    const { folder, site } = await siteFolder();
    const lock = await acquireLock(silentContext(), join(folder, '.atoll', 'lock'), 'the site');

    const { status, stderr } = await atoll(...line.split(' '), '--site', site);

    expect([status, stderr]).toEqual([expected, '']);
    await lock.release();
  });
});

test('atoll down says each thing that it removes once', async () => {
  const open = await openTestSite();
  const { path, state } = { path: open.work.site.path, state: open.work.paths.state };
  for (const name of ['one', 'two'])
    await open.inventory.claim({ kind: 'directory', id: join(state, name), temporary: false });
  await open.close();

  const { status, stdout, stderr } = await atoll('down', '--yes', '--site', path);

  expect([status, stdout]).toEqual([0, '2 resources removed\n']);
  for (const name of ['one', 'two'])
    expect(`${stdout}${stderr}`.split(join(state, name))).toHaveLength(2);
});

test('atoll up and plan call a stage by its id', async () => {
  const { site } = await siteFolder();

  const { stderr } = await atoll('up', '--only', 'infrastructure', '--site', site);
  const { stdout } = await atoll('plan', '--output', 'json', '--site', site);

  expect(stderr).toContain('▶ infrastructure');
  const stages: { id: string; title: string }[] = JSON.parse(stdout).stages;
  expect(stages.map(({ title }) => title)).toEqual(stages.map(({ id }) => id));
});

describe('atoll validate', () => {
  const REF = 'ref:\n  as: own-check\n  commands: "true"\n';

  test.each([
    ['a stage to skip that is none', { skip: ['verfy'] }, 'steps.skip'],
    ['a place that is none', { insert: [{ step: 'own-check', after: 'imags' }] }, 'steps.insert'],
    ['a step that is none', { insert: [{ step: 'own-chek', after: 'images' }] }, 'own-chek'],
    ['a folder that is none', { registry: 'stepz' }, 'stepz'],
    [
      'a step that is there twice',
      {
        insert: [
          { step: 'own-check', after: 'images' },
          { step: 'own-check', after: 'config' },
        ],
      },
      'own-check',
    ],
  ])('finds %s', async (_, steps, told) => {
    const { site } = await siteFolder(
      { steps: { registry: 'steps', ...steps } },
      { 'steps/own-check-ref.yaml': REF },
    );

    const { status, stderr } = await atoll('validate', '--site', site);

    expect(status).toBe(3);
    expect(stderr).toContain(told);
  });

  test('does not let a replacement with a mistake pass for the stage itself', async () => {
    const { site } = await siteFolder(
      { steps: { registry: 'steps' } },
      { 'steps/atoll-images-ref.yaml': 'ref:\n  as: atoll-images\n  comands: "true"\n' },
    );

    for (const argv of [['validate'], ['plan'], ['up', '--only', 'infrastructure']]) {
      const { status, stderr } = await atoll(...argv, '--site', site);

      expect(status).toBe(3);
      expect(stderr).toMatch(/atoll-images-ref\.yaml:3: .*"comands"/);
    }
  });

  test.each([
    [
      'a pull secret without entries',
      {},
      { 'pull-secret.json': '{"auths":{}}' },
      'no registry has',
    ],
    ['a pull secret that is none', {}, { 'pull-secret.json': 'oops' }, 'pull-secret.json'],
    ['two masters', { cluster: { controlPlane: 2 } }, {}, 'quorum'],
    ['a VPC where there is none', { platform: { vpc: 'vpc-1' } }, {}, 'vpc'],
    ['a channel of another minor', { release: { channel: 'stable-4.16' } }, {}, 'release.channel'],
    ['no SSH key', {}, {}, 'cluster.sshKey'],
  ])('refuses %s', async (_, change, files, told) => {
    const { site } = await siteFolder(change, files);

    const { status, stderr } = await atoll('validate', '--site', site);

    expect(status).toBe(3);
    expect(stderr).toContain(told);
  });

  test('finds a public key that is not there', async () => {
    const { site } = await siteFolder({ bastion: { sshKey: 'id.pub' } });

    expect((await atoll('validate', '--site', site)).stderr).toContain('bastion.sshKey');
  });
});

describe('atoll up', () => {
  const step = (name: string, commands: string) => ({
    [`steps/${name}-ref.yaml`]: `ref:\n  as: ${name}\n  best_effort: true\n  commands: ${commands}\n`,
  });
  const siteWith = (name: string, commands: string, more: Readonly<Record<string, string>> = {}) =>
    siteFolder(
      { steps: { registry: 'steps', insert: [{ step: name, after: 'registry' }] } },
      { ...step(name, commands), ...more },
    );

  test('keeps secrets of earlier runs out of the logs, also when their stages do not run', async () => {
    const auth = Buffer.from('atoll:open-sesame-1').toString('base64');
    const secrets = { '.atoll/secrets/mirror.json': `{"auths":{"m:5000":{"auth":"${auth}"}}}` };
    const { folder, site } = await siteWith('show', 'echo it is open-sesame-1', secrets);
    forgetSecrets();

    expect((await atoll('up', '--only', 'show', '--site', site)).status).toBe(0);

    const log = await readFile(join(folder, '.atoll', 'logs', 'show.log'), 'utf8');
    expect(log).toMatch(/it is \[redacted\]\n$/);
  });

  test('tells why a step failed whose failure does not count', async () => {
    const { site } = await siteWith('weak', 'exit 7');
    const argv = ['up', '--only', 'weak', '--site', site];

    const json = JSON.parse((await atoll(...argv, '--output', 'json')).stdout);

    const failed = {
      step: 'weak',
      outcome: 'failed',
      reason: expect.stringMatching(/ended with 7/),
    };
    expect(json.outcomes).toContainEqual(expect.objectContaining(failed));
    expect((await atoll(...argv)).stdout).toMatch(/weak +failed .*ended with 7/);
  });
});

test('atoll step graph says what is missing in the picture', async () => {
  const { folder } = await siteFolder(
    {},
    { 'steps/c-chain.yaml': 'chain:\n  as: c\n  steps:\n  - ref: gone\n' },
  );

  const { status, stderr } = await atoll('step', 'graph', 'c', '--registry', join(folder, 'steps'));

  expect(status).toBe(3);
  expect(stderr).toContain('chain/c: unknown step "gone"');
});

test('atoll init writes what was said, whatever YAML would make of it', async () => {
  const to = join(await tempDir(), 'atoll.yaml');
  const flags = { name: '007', platform: 'none', 'base-domain': '1e3', 'registry-host': '10' };
  const argv = Object.entries(flags).flatMap(([flag, value]) => [`--${flag}`, value]);
  const secret = 'my secrets/a: "b" # c.json';

  const { status } = await atoll(
    ...['init', '--to', to, '--mode', 'private', '--release', '4.18.2'],
    ...['--pull-secret', secret, ...argv],
  );

  expect(status).toBe(0);
  expect(parse(await readFile(to, 'utf8'))).toMatchObject({
    name: '007',
    registry: { host: '10' },
    cluster: { name: '007', baseDomain: '1e3', pullSecret: secret },
  });
});
