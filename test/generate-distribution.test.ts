import { spawn } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { distributionConfig } from '../src/generate/units/distribution-config.ts';
import { freePort } from './support/docker-registry.ts';
import { describeWithPeers, peerPath } from './support/peers.ts';
import { tempDir } from './support/temp.ts';

/** Runs the real registry with our config and answers how it greets. */
async function greeting(input: { htpasswd?: string; cacheOf?: { url: string } }): Promise<number> {
  const dir = await tempDir();
  const port = await freePort();
  const config = join(dir, 'config.yml');
  await mkdir(join(dir, 'data'));
  await writeFile(join(dir, 'htpasswd'), input.htpasswd ?? '');
  const htpasswd = input.htpasswd === undefined ? {} : { htpasswd: join(dir, 'htpasswd') };
  const text = distributionConfig({
    ...{ port, address: '127.0.0.1', data: join(dir, 'data') },
    ...htpasswd,
    cacheOf: input.cacheOf,
  });
  await writeFile(config, text);

  const child = spawn(peerPath('docker-registry') ?? 'docker-registry', ['serve', config], {
    stdio: 'ignore',
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  for (let tries = 0; tries < 200 && child.exitCode === null; tries += 1) {
    const answer = await fetch(`http://127.0.0.1:${port}/v2/`).catch(() => undefined);
    if (answer) return answer.status;
    await sleep(50);
  }
  throw new Error('docker-registry did not come up with the generated config');
}

describeWithPeers(['docker-registry'], 'distributionConfig', () => {
  test('makes the real registry serve', async () => {
    expect(await greeting({})).toBe(200);
  });

  test('makes it ask for users', async () => {
    const bcrypt = '$2y$05$abcdefghijklmnopqrstuuBOkzWkvrY5/JmbyRVzYaoGoIFZ3oMy2';

    expect(await greeting({ htpasswd: `admin:${bcrypt}\n` })).toBe(401);
  });
});
