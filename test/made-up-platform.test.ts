import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import * as z from 'zod';
import { PLATFORMS } from '../src/cli/platforms.ts';
import { recordingContext, silentContext } from '../src/core/context.ts';
import { localHost } from '../src/host/local-host.ts';
import { definePlatform, type PreflightCheck } from '../src/platform/platform.ts';
import { installer } from '../src/platform/shared/installer.ts';
import { createCa } from '../src/registry/tls/certificates.ts';
import { takeDown } from '../src/site/down.ts';
import { openSite } from '../src/site/open-site.ts';
import { readSite } from '../src/site/read-site.ts';
import { siteJsonSchema } from '../src/site/schema.ts';
import { type SiteAnswers, siteTemplate } from '../src/site/site-template.ts';
import { siteStatus } from '../src/site/status.ts';
import { bringUp, planUp } from '../src/site/up.ts';
import { validateSite } from '../src/site/validate-site.ts';
import { fillMirror, IN_MIRROR, PULL_SECRET, putFakeInstaller } from './support/site.ts';
import { describeRow } from './support/suites/platform-suite.ts';
import { tempDir } from './support/temp.ts';

// A platform that nobody has heard of: this object is all that there is of it.
const island = definePlatform({
  name: 'island',
  summary: 'a made-up platform',
  settings: z.strictObject({
    type: z.literal('island'),
    harbour: z.string(),
    chart: z.string().describe('Chart of the waters'),
  }),
  files: ['chart'],
  environment: [{ variable: 'ISLAND_HARBOUR', path: ['platform', 'harbour'] }],
  init: {
    example: { harbour: 'north', chart: 'chart.txt' },
    asks: { harbour: 'Name of the harbour' },
  },
  installPlatform: () => ({ platform: { type: 'none' } }),
  async open({ settings, paths, bastion, disconnected }) {
    const pier = join(paths.state, settings.harbour);
    const ferry = join(paths.state, 'ferry');
    const host = async () => localHost();
    const { boot, watch, plan } = installer({ paths, disconnected }, { host, machines: 'made' });
    const rocks: PreflightCheck = {
      subject: 'rocks',
      severity: 'warning',
      message: 'Mind the rocks',
    };
    const storm: PreflightCheck = {
      subject: 'storm',
      severity: 'error',
      message: 'There is a storm',
    };
    return {
      plan: () => ({
        infrastructure: [`build a pier at ${settings.harbour}`],
        bastion: ['climb the lighthouse'],
        cluster: plan,
        verify: ['count the boats'],
      }),
      preflight: async () => (bastion.address === undefined ? [rocks] : [rocks, storm]),
      async provision(_ctx, claim) {
        await claim({ kind: 'pier', id: pier, temporary: false });
        await mkdir(pier, { recursive: true });
        await claim({ kind: 'directory', id: ferry, temporary: true, lifetime: 'install' });
        await mkdir(ferry, { recursive: true });
      },
      bastion: host,
      boot,
      watch,
      verify: async () => ({ boats: 3 }),
      async remove(_ctx, { kind, id }) {
        if (kind !== 'pier') return false;
        await writeFile(`${id}.sunk`, '');
        return true;
      },
      close: async () => undefined,
    };
  },
});

const TABLE = [...PLATFORMS, island];
const ctx = silentContext();

const ANSWERS: SiteAnswers = {
  name: 'reef',
  mode: 'disconnected',
  version: '4.18.2',
  platform: island,
  settings: { harbour: 'lagoon' },
  baseDomain: 'example.com',
  registryHost: 'localhost',
  pullSecret: 'pull-secret.json',
  sshKey: 'id.pub',
};

/** What init wrote, as its user goes on: a mirror that is there, and only the stages that can run here. */
async function siteOnIsland(answers = ANSWERS): Promise<{ folder: string; file: string }> {
  const folder = await tempDir();
  const text = siteTemplate(answers)
    .replace('type: embedded', 'type: existing\n  ca: ca.crt')
    .concat('steps:\n  skip: [tools, registry, images]\n')
    // What is said to be in the mirror is nowhere.
    .replace('workers: 2', 'workers: 2\n  rehearse: false');
  const file = join(folder, 'atoll.yaml');
  const ca = await createCa('a CA', { now: new Date(), days: 2 });
  await writeFile(join(folder, 'ca.crt'), ca.certificate);
  await writeFile(
    join(folder, 'id.pub'),
    `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${'A'.repeat(43)} a@b\n`,
  );
  await writeFile(join(folder, 'pull-secret.json'), PULL_SECRET, { mode: 0o600 });
  await writeFile(file, text);
  return { folder, file };
}

async function openOnIsland(file: string, env = {}) {
  const site = await readSite(file, env, TABLE);
  const open = await openSite(ctx, site, { PATH: process.env.PATH });
  onTestFinished(() => open.close());
  return open;
}

test('a platform is one row: a site on a made-up one goes from init to down', async () => {
  const { folder, file } = await siteOnIsland();
  const site = await readSite(file, {}, TABLE);
  expect(site.platform).toEqual({ type: 'island', harbour: 'lagoon', chart: 'chart.txt' });
  await expect(validateSite(ctx, site, {})).rejects.toThrow(/platform\.chart: there is no file/);
  await writeFile(join(folder, 'chart.txt'), 'here be dragons');
  await validateSite(ctx, site, {});

  const open = await openOnIsland(file);
  const { paths } = open.work;
  await fillMirror(paths);
  await putFakeInstaller(paths);
  const plan = await planUp(ctx, open);
  expect(plan.find(({ id }) => id === 'infrastructure')?.does).toEqual(['build a pier at lagoon']);
  expect(plan.find(({ id }) => id === 'verify')?.does).toEqual(['count the boats']);

  const recording = recordingContext();
  const { error, outputs } = await bringUp(recording, open);
  expect(error).toBeUndefined();
  expect(outputs).toMatchObject({
    infrastructure: { platform: 'island' },
    config: { releaseImage: `${IN_MIRROR.release}@${IN_MIRROR.digest}` },
    verify: { boats: 3 },
    cleanup: { removed: [join(paths.state, 'ferry')] },
  });
  expect(recording.events).toContainEqual(
    expect.objectContaining({ type: 'warning.raised', message: 'Mind the rocks' }),
  );
  const cluster = join(paths.install, 'cluster');
  expect((await readFile(join(paths.tools, 'calls'), 'utf8')).trim().split('\n')).toEqual([
    `create manifests --dir ${cluster}`,
    `create cluster --dir ${cluster}`,
    `wait-for bootstrap-complete --dir ${cluster}`,
    `wait-for install-complete --dir ${cluster}`,
  ]);
  expect(await readFile(join(paths.install, 'install-config.yaml'), 'utf8')).toContain(
    'platform:\n  none: {}',
  );

  const pier = { kind: 'pier', id: join(paths.state, 'lagoon'), temporary: false };
  expect((await siteStatus(ctx, open)).resources).toEqual([pier]);
  expect(await takeDown(ctx, open, { temporary: false })).toEqual([pier]);
  expect((await stat(join(paths.state, 'lagoon.sunk'))).isFile()).toBe(true);
  expect((await siteStatus(ctx, open)).resources).toEqual([]);
});

test('a platform that says no before anything is made, makes nothing', async () => {
  const { folder, file } = await siteOnIsland();
  await writeFile(join(folder, 'chart.txt'), '');
  const text = await readFile(file, 'utf8');
  await writeFile(file, text.replace('# address: bastion', 'address: bastion'));
  const open = await openOnIsland(file);

  const { succeeded, error } = await bringUp(ctx, open);

  expect(succeeded).toBe(false);
  expect(error).toMatchObject({
    code: 'PREFLIGHT_FAILED',
    message: expect.stringContaining('There is a storm'),
  });
  expect(open.inventory.resources()).toEqual([]);
});

test('a platform has variables and fields of its own, for editors, too', async () => {
  const { file } = await siteOnIsland();

  const { site } = (await openOnIsland(file, { ISLAND_HARBOUR: 'south' })).work;

  expect(site.platform).toMatchObject({ harbour: 'south' });
  expect(site.overrides).toEqual([{ variable: 'ISLAND_HARBOUR', field: 'platform.harbour' }]);
  expect(JSON.stringify(siteJsonSchema(TABLE))).toContain('Chart of the waters');
});

describeRow(island);
