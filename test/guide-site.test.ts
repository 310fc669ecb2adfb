import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type KubeApi, startKubeApi } from './support/cluster/kube-api.ts';
import { commandsOf, guideHome, typeInShell } from './support/guide.ts';
import { makeNoneSite, type NoneSite } from './support/none-site.ts';
import { describeWithPeers } from './support/peers.ts';

// Whole installs run here, with a real Kubernetes API and a real mirror, on a machine that may be busy.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 240_000 });

describeWithPeers(['etcd', 'kube-apiserver'], 'what the guide says about a site', () => {
  const folder = mkdtempSync(join(tmpdir(), 'atoll-guide-site-'));
  const home = guideHome();
  let api: KubeApi;
  let site: NoneSite;

  beforeAll(async () => {
    writeFileSync(join(home, 'pull-secret.json'), '{"auths":{"quay.io":{"auth":"bWU6c2VjcmV0"}}}');
    mkdirSync(join(home, '.ssh'));
    writeFileSync(
      join(home, '.ssh/id_ed25519.pub'),
      `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${'A'.repeat(43)} a@b\n`,
    );
    api = await startKubeApi();
    site = await makeNoneSite(join(folder, 'site'), api);
  });
  afterAll(async () => {
    await type(site.folder, 'atoll down --yes');
    await site?.stop();
    await api?.stop();
    for (const each of [home, folder]) rmSync(each, { recursive: true, force: true });
  });

  const type = (where: string, line: string, answers = false) =>
    typeInShell(where, line, { home, answers });
  const isAbout = (words: RegExp) =>
    commandsOf('docs/guide/site.md').filter(({ line }) => words.test(line));

  test('makes a file that is valid', async () => {
    const begun = join(folder, 'begun');
    mkdirSync(begun);
    const commands = isAbout(/^atoll (init|validate)|^cp /);

    for (const { line } of commands) expect(await type(begun, line)).toBeUndefined();
    expect(commands).toHaveLength(3);
  });

  test('brings it up, in one go and in parts, brings what was mirrored, and takes it down', async () => {
    const commands = isAbout(/^atoll (plan|up|status|down)/).map(({ line }) => line);
    const down = commands.find((line) => line.startsWith('atoll down')) ?? '';
    const parts = commands.slice(commands.indexOf(down) + 1);
    const apply = commandsOf('docs/guide/cluster.md').map(({ line }) => line);
    symlinkSync('.atoll/mirror/working-dir', join(site.folder, 'working-dir'));

    const failed: (string | undefined)[] = [];
    for (const line of [...commands.slice(0, commands.indexOf(down)), ...apply]) {
      failed.push(await type(site.folder, line));
    }
    failed.push(await type(site.folder, down, true));
    for (const line of parts) failed.push(await type(site.folder, line));

    expect(failed.filter((problem) => problem !== undefined)).toEqual([]);
    expect([commands.length, parts.length, apply.length]).toEqual([7, 3, 3]);
  });
});
