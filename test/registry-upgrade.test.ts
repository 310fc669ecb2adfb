import { mkdtempSync, rmSync } from 'node:fs';
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { bundle } from '../scripts/bundle.mjs';
import { freePort } from './support/docker-registry.ts';
import { registryHttp } from './support/registry-http.ts';
import { runBundle } from './support/registry-process.ts';
import { tempDir } from './support/temp.ts';

// Whole programs start here, and a busy machine takes its time.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const folder = mkdtempSync(join(tmpdir(), 'atoll-registry-upgrade-'));
const bundled = join(folder, 'atoll.mjs');
beforeAll(() => bundle({ outfile: bundled, format: 'esm' }));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A service of the simplest kind: a program, and a script that stops what runs and starts it anew. */
async function service() {
  const dir = await tempDir();
  const port = await freePort();
  const file = (name: string) => join(dir, name);
  const script = async (name: string, text: string) => {
    await writeFile(file(name), `#!/bin/sh\n${text}\n`);
    await chmod(file(name), 0o755);
    return file(name);
  };
  const atoll = (version: string) =>
    `echo ${version} >> ${file('started')}\nexec ${process.execPath} ${bundled} "$@"`;
  await writeFile(
    file('config.yaml'),
    `storage: { path: data }\nlisteners: [{ address: "127.0.0.1:${port}" }]\nworkers: 1\n`,
  );
  const program = await script('atoll', atoll('old'));
  const stop = `[ -f ${file('pid')} ] && kill "$(cat ${file('pid')})" 2>/dev/null && sleep 0.2`;
  const serve = `${program} registry serve --dir ${dir}`;
  const restart = await script(
    'restart',
    `${stop}\n${serve} >/dev/null 2>&1 & echo $! > ${file('pid')}`,
  );
  onTestFinished(async () => {
    const pid = Number(await readFile(file('pid'), 'utf8').catch(() => '0'));
    if (pid > 0) process.kill(pid, 'SIGKILL');
  });
  const upgrade = async (to: string) =>
    await runBundle(bundled, [
      ...['registry', 'upgrade', '--from', to, '--program', program, '--restart', restart],
      ...['--dir', dir, '--patience', '30'],
    ]);
  const health = async () =>
    (await registryHttp(`http://127.0.0.1:${port}`).send('GET', '/healthz')).status;
  const started = async () => (await readFile(file('started'), 'utf8')).trim().split('\n');
  return { program, script, atoll, upgrade, health, started, file };
}

test('registry upgrade puts the new program in place, and keeps the old one beside it', async () => {
  const { program, script, atoll, upgrade, health, file } = await service();
  const next = await script('next', atoll('new'));

  const { status, stderr } = await upgrade(next);

  expect([status, stderr]).toEqual([0, expect.any(String)]);
  expect(await health()).toBe(200);
  expect(await readFile(program, 'utf8')).toContain('echo new');
  expect(await readFile(file('atoll.old'), 'utf8')).toContain('echo old');
});

test('registry upgrade goes back when the new program does not serve', async () => {
  const { program, script, atoll, upgrade, health, started } = await service();
  // It looks well, and dies as soon as it has to serve.
  const next = await script('next', `[ "$2" = serve ] && exit 1\n${atoll('new')}`);

  const { status, stderr } = await upgrade(next);

  expect(status).not.toBe(0);
  expect(stderr).toContain('old program is back');
  expect(await health()).toBe(200);
  expect(await readFile(program, 'utf8')).toContain('echo old');
  expect((await started()).at(-1)).toBe('old');
});

test('registry upgrade changes nothing for a program that does not run, or not with this configuration', async () => {
  const { program, script, upgrade } = await service();
  const broken = await script('broken', 'echo "no such thing" >&2; exit 3');
  const other = await script(
    'other',
    '[ "$1" = version ] && echo 9.9 && exit 0\necho "config: unknown field" >&2\nexit 3',
  );

  for (const next of [broken, other]) {
    const { status, stderr } = await upgrade(next);
    expect(status).not.toBe(0);
    expect(stderr).toContain('Nothing was changed');
  }
  expect(await readFile(program, 'utf8')).toContain('echo old');
});
