import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Context } from '../../core/context.ts';
import { AtollError, isTransient, messageOf } from '../../core/errors.ts';
import { exists, SECRET_MODE, writeFileAtomic } from '../../core/files.ts';
import { NO_RETRY, sleep } from '../../core/retry.ts';
import type { Host } from '../../host/host.ts';
import { type SshTarget, sshHost } from '../../host/ssh-host.ts';
import { readTimeline } from '../../observe/timeline/read-timeline.ts';
import { JOURNALED_UNITS } from '../../openshift/bootstrap/steps.ts';
import { compareClocks, MOST_OFFSET_MS } from '../doctor/bastion.ts';
import { sitePath } from '../read-site.ts';
import type { StageWork } from '../stages/stage.ts';
import type { InstallView } from './install-view.ts';

/**
 * The bootstrap machine as somebody named it, `core@192.0.2.9` or an address alone, or as the platform
 * knows it; undefined: it can only be watched from outside.
 */
export async function bootstrapTarget(
  { site, platform }: StageWork,
  named?: string,
): Promise<SshTarget | undefined> {
  const [, user = 'core', address] = /^(?:([^@]+)@)?(.+)$/.exec(named ?? '') ?? [];
  const target = address === undefined ? platform.bootstrap : { user, address };
  if (target === undefined) return undefined;
  // The key that its nodes take usually lies beside its public half.
  const key = site.cluster.sshKey && sitePath(site, site.cluster.sshKey).replace(/\.pub$/, '');
  const isThere = key?.endsWith(site.cluster.sshKey ?? '') === false && (await exists(key));
  return isThere ? { ...target, identity: key } : target;
}

/** A journal is long, and a step takes minutes. */
const EVERY_MS = 10_000;

/** Shows the step that the bootstrap machine is at, from its own journal, as soon as that can be read. */
export const followBootstrap =
  (target: SshTarget | undefined, view: InstallView) =>
  async (ctx: Context): Promise<void> => {
    if (target === undefined) return;
    const host = sshHost(target, NO_RETRY);
    const quiet: Context = { ...ctx, emit: () => undefined };
    try {
      let isFirst = true;
      while (view.facts().bootstrappedMs === undefined) {
        const isOver = await showStep(quiet, host, view).catch((error) => tell(ctx, error));
        if (isOver) return;
        if (isFirst && isOver === undefined) {
          isFirst = false;
          await warnOfClock(ctx, host);
        }
        await sleep(ctx, EVERY_MS);
      }
    } finally {
      await host.close();
    }
  };

async function showStep(ctx: Context, host: Host, view: InstallView): Promise<undefined> {
  const step = await inTemporaryFolder(async (folder) => {
    await putJournals(ctx, host, folder);
    const { steps, current } = await readTimeline(ctx, [folder]);
    return steps.find(({ id }) => id === current);
  });
  if (step) view.reached(step.title, step.waitsFor);
}

/** A host whose clock is wrong takes no certificate for valid, and says so in a hundred ways. */
async function warnOfClock(ctx: Context, host: Host): Promise<void> {
  const { offsetMs, message } = await compareClocks(ctx, host);
  if (Math.abs(offsetMs) <= MOST_OFFSET_MS) return;
  const hint = 'Give the hosts a time server: postInstall.ntpServers, or set their clocks';
  ctx.emit({ type: 'warning.raised', subject: 'clock', message: `The clock of ${message}`, hint });
}

/** A machine that does not answer may boot yet; one that does not let us in will not later. */
function tell(ctx: Context, error: unknown): boolean {
  if (ctx.signal.aborted || isTransient(error)) return false;
  const message = `The bootstrap machine is watched from outside only: ${messageOf(error)}`;
  ctx.emit({ type: 'note.added', message });
  return true;
}

/** Puts the journals of a bootstrap machine where a log bundle has them. */
export async function putJournals(ctx: Context, host: Host, folder: string): Promise<void> {
  for (const unit of JOURNALED_UNITS) {
    const args = ['--boot', '--no-pager', '--output=short-iso', `--unit=${unit}.service`];
    const { status, stdout, stderr } = await host.run(ctx, 'journalctl', args, { sudo: true });
    if (status !== 0)
      throw new AtollError(
        'PROGRAM_FAILED',
        `Cannot read the journal of ${host.name}: ${stderr.trim()}`,
      );
    const path = join(folder, 'bootstrap', 'journals', `${unit}.log`);
    await writeFileAtomic(path, stdout, { mode: SECRET_MODE });
  }
}

export async function inTemporaryFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'atoll-live-'));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
