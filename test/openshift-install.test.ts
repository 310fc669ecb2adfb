import { readFile, symlink } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { silentContext } from '../src/core/context.ts';
import { exists, makeFolder, writeFileAtomic } from '../src/core/files.ts';
import { createCa } from '../src/registry/tls/certificates.ts';
import type { SitePaths } from '../src/site/site-paths.ts';
import { configStage } from '../src/site/stages/config.ts';
import { installRun } from '../src/site/stages/verify.ts';
import { fillMirror, openTestSite, putFakeInstaller, stepRun } from './support/site.ts';

// The real one unpacks what it is made of when it starts.
vi.setConfig({ testTimeout: 120_000 });

const ctx = silentContext();
const KEY = `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${'A'.repeat(43)} a@b\n`;

/** A real `openshift-install`, where this machine has one. */
async function realInstaller(): Promise<string | undefined> {
  const { ATOLL_OPENSHIFT_INSTALL: named, PATH = '' } = process.env;
  const places = PATH.split(delimiter).map((folder) => join(folder, 'openshift-install'));
  for (const path of named ? [named] : places) if (await exists(path)) return path;
  return undefined;
}

const REAL = await realInstaller();

async function made(put: (paths: SitePaths) => Promise<void>) {
  const { work } = await openTestSite({ cluster: { sshKey: 'id.pub' } }, { 'id.pub': KEY });
  await fillMirror(work.paths);
  const { certificate } = await createCa('a mirror', { now: new Date(), days: 30 });
  await writeFileAtomic(join(work.paths.registry, 'tls', 'ca.crt'), certificate);
  await configStage.run(ctx, work, stepRun());
  await put(work.paths);
  await work.platform.boot(ctx, installRun(ctx, work, stepRun()));
  return join(work.paths.install, 'cluster');
}

test('the fake openshift-install makes Ignition files of our install-config and manifests', async () => {
  const folder = await made(putFakeInstaller);

  expect(await exists(join(folder, 'bootstrap.ign'))).toBe(true);
  const taken = await readFile(join(folder, '..', 'taken'), 'utf8');
  expect(taken).toMatch(/operatorhub/);
});

test.skipIf(REAL === undefined)(
  'a real openshift-install (ATOLL_OPENSHIFT_INSTALL, or on the PATH) takes the same, and has ours in bootstrap.ign',
  async () => {
    const folder = await made(async ({ tools }) => {
      await makeFolder(tools);
      await symlink(REAL ?? '', join(tools, 'openshift-install'));
    });

    const ignition = JSON.parse(await readFile(join(folder, 'bootstrap.ign'), 'utf8'));
    const paths: string[] = ignition.storage.files.map(({ path }: { path: string }) => path);
    expect(paths).toEqual(expect.arrayContaining([expect.stringMatching(/operatorhub/)]));
    expect(await exists(join(folder, 'master.ign'))).toBe(true);
  },
);
