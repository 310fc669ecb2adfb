import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { type Context, recordingContext } from '../src/core/context.ts';
import type { JsonObject } from '../src/core/json.ts';
import { sleep } from '../src/core/retry.ts';
import type { StageWork } from '../src/site/stages/stage.ts';
import { installRun } from '../src/site/stages/verify.ts';
import { watchInstall } from '../src/site/watch/watch-install.ts';
import { logBundle } from './support/log-bundle.ts';
import { describeWithPeers } from './support/peers.ts';
import { openTestSite, stepRun } from './support/site.ts';
import { type Sshd, startSshd } from './support/sshd.ts';

/** Stands for the program of the bootstrap machine: it knows the journals of one that waits for its API. */
const FAKE_JOURNALCTL = `#!/bin/sh
# fake-journalctl
for word in "$@"; do case "$word" in --unit=*) unit=\${word#--unit=} ;; esac; done
cat "$(dirname "$0")/../journals/\${unit%.service}.log" 2>/dev/null || true
`;

/** Its clock was never set. */
const FAKE_DATE = '#!/bin/sh\n# fake-date\necho 86400\n';

async function startBootstrapMachine(): Promise<Sshd> {
  const sshd = await startSshd({ programs: true });
  onTestFinished(sshd.remove);
  const { files } = logBundle('api-never-up');
  for (const [name, text] of files) {
    const unit = /^bootstrap\/journals\/(.+\.log)$/.exec(name)?.[1];
    if (!unit) continue;
    await mkdir(join(sshd.folder, 'journals'), { recursive: true });
    await writeFile(join(sshd.folder, 'journals', unit), text);
  }
  const programs = { journalctl: FAKE_JOURNALCTL, date: FAKE_DATE };
  await mkdir(join(sshd.folder, 'bin'));
  for (const [name, text] of Object.entries(programs))
    await writeFile(join(sshd.folder, 'bin', name), text, { mode: 0o755 });
  return sshd;
}

async function bootstrapSite(sshd: Sshd, files: readonly string[]): Promise<StageWork> {
  const { identity } = sshd;
  const keys = { id: identity, 'id.pub': `${identity}.pub` };
  const texts: Record<string, string> = {};
  for (const [name, path] of Object.entries(keys))
    if (files.includes(name)) texts[name] = await readFile(path, 'utf8');
  const ssh = { user: sshd.user, port: sshd.port, hostKeys: sshd.hostKeys };
  const machine = { name: 'bootstrap', role: 'bootstrap', addresses: ['127.0.0.1'], ssh };
  const { work } = await openTestSite(
    { platform: { machines: [machine] }, cluster: { sshKey: 'id.pub' } },
    texts,
  );
  if (texts.id) await chmod(join(work.site.directory, 'id'), 0o600);
  return work;
}

// Connecting takes its time on a busy machine.
vi.setConfig({ testTimeout: 120_000 });

describeWithPeers(['sshd', 'ssh'], 'the wait for an install', () => {
  const watched = async (work: StageWork, until: RegExp) => {
    const told = recordingContext();
    const isTold = () => told.events.some((event) => until.test(JSON.stringify(event)));
    const watch = async (ctx: Context): Promise<JsonObject> => {
      while (!isTold()) await sleep(ctx, 20);
      return {};
    };
    const platform = { ...work.platform, watch };
    const run = installRun(told, { ...work, platform }, stepRun());
    await watchInstall(told, { ...work, platform }, run, { everyMs: 50 });
    return told.events;
  };

  test('shows the step of bootkube and a wrong clock, from the bootstrap machine itself, without a flag', async () => {
    const sshd = await startBootstrapMachine();
    const work = await bootstrapSite(sshd, ['id', 'id.pub']);

    const events = await watched(work, /The clock of .* behind this machine/);

    expect(events).toContainEqual(
      expect.objectContaining({ type: 'task.started', title: 'Bootstrap' }),
    );
    expect(events).toContainEqual(
      expect.objectContaining({
        type: 'task.progressed',
        task: 'install bootstrap',
        note: expect.stringContaining('waits for'),
      }),
    );
  });

  test('goes on from outside where the bootstrap machine lets nobody in, and says so once', async () => {
    const sshd = await startBootstrapMachine();
    const work = await bootstrapSite(sshd, ['id.pub']);

    const events = await watched(work, /watched from outside only/);

    const said = events.filter((event) => JSON.stringify(event).includes('from outside only'));
    expect(said).toHaveLength(1);
  });
});
