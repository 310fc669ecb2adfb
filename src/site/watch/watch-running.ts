import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Context } from '../../core/context.ts';
import { AtollError, messageOf } from '../../core/errors.ts';
import { exists, SECRET_MODE, writeFileAtomic } from '../../core/files.ts';
import { sleep } from '../../core/retry.ts';
import type { Host } from '../../host/host.ts';
import { localHost } from '../../host/local-host.ts';
import { sshHost } from '../../host/ssh-host.ts';
import { type Diagnosis, diagnose } from '../../observe/diagnose.ts';
import { readTimeline } from '../../observe/timeline/read-timeline.ts';
import type { StageWork } from '../stages/stage.ts';
import { causesOf, type InstallCause } from './causes.ts';
import type { InstallView } from './install-view.ts';
import type { ClusterLook } from './look-cluster.ts';
import { type PhaseId, phaseOf } from './phases.ts';
import type { MachinePull } from './pulls.ts';
import { beside, lookOnce, openView, readPulls, type WatchPace } from './watch-install.ts';

/** An install at a moment, as plain JSON. */
export interface InstallSnapshot {
  readonly phase: PhaseId;
  readonly log: string;
  readonly machines: readonly MachinePull[];
  /** Undefined while the API does not answer. */
  readonly cluster: ClusterLook | undefined;
  readonly causes: readonly InstallCause[];
}

export interface LiveOptions extends WatchPace {
  /** The bootstrap machine as `ssh` takes it; its journals are read where it is named. */
  readonly bootstrap?: string | undefined;
}

/** Shows an install that another run waits for, until the cluster is up. Changes nothing. */
export async function watchRunning(
  ctx: Context,
  work: StageWork,
  options: LiveOptions = {},
): Promise<InstallSnapshot> {
  const { log } = requireInstall(work);
  const view = await openView(ctx, work, options);
  const companions = [followWords(log, view), tolerated(followBootstrap(options, view))];
  await beside(ctx, work, { view, pace: options, companions }, async (inner) => {
    while (!view.facts().look?.isInstalled) await sleep(inner, options.everyMs ?? 1000);
  });
  return snapshotOf(view, log);
}

function requireInstall({ platform, site }: StageWork) {
  if (platform.installs) return platform.installs;
  throw new AtollError(
    'NOT_BUILT',
    `Cannot watch an install on platform "${site.platformKind.name}": it installs no real cluster`,
    { hint: 'Look at its logs: atoll diagnose .atoll' },
  );
}

function snapshotOf(view: InstallView, log: string): InstallSnapshot {
  const facts = view.facts();
  const { look: cluster, pulls: machines } = facts;
  return { phase: phaseOf(facts), log, machines, cluster, causes: causesOf(facts) };
}

const followWords = (log: string, view: InstallView) => async (ctx: Context) => {
  for await (const line of localHost().follow(ctx, log)) view.heard(line);
};

const JOURNAL_MS = 10_000;

/** The step that the bootstrap machine is at, from its own journal, where it may be read. */
const followBootstrap =
  ({ bootstrap, everyMs = JOURNAL_MS }: LiveOptions, view: InstallView) =>
  async (ctx: Context): Promise<void> => {
    if (bootstrap === undefined) return;
    const host = sshHost(targetOf(bootstrap), { attempts: 1 });
    try {
      for (;;) {
        const step = await inTemporaryFolder(async (folder) => {
          await putJournals(ctx, host, folder);
          const { steps, current } = await readTimeline(quiet(ctx), [folder]);
          return steps.find(({ id }) => id === current);
        });
        if (step) view.reached(step.title, step.waitsFor);
        await sleep(ctx, everyMs);
      }
    } finally {
      await host.close();
    }
  };

/** A machine that cannot be reached is no reason to stop watching the others. */
const tolerated = (companion: (ctx: Context) => Promise<void>) => async (ctx: Context) => {
  await companion(ctx).catch((error: unknown) => {
    if (ctx.signal.aborted) return;
    const message = `The bootstrap machine cannot be looked at: ${messageOf(error)}`;
    ctx.emit({ type: 'warning.raised', message });
  });
};

const quiet = (ctx: Context): Context => ({ ...ctx, emit: () => undefined });

/** `core@192.0.2.9`, or an address alone: then the user of every node. */
function targetOf(text: string) {
  const [, user = 'core', address = ''] = /^(?:([^@]+)@)?(.+)$/.exec(text) ?? [];
  return { user, address };
}

const UNITS = ['release-image', 'node-image-pull', 'crio', 'kubelet', 'bootkube'];

/** Puts the journals of a bootstrap machine where a log bundle has them. */
async function putJournals(ctx: Context, host: Host, folder: string): Promise<void> {
  for (const unit of UNITS) {
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

async function inTemporaryFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'atoll-live-'));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

export interface LiveDiagnosis extends Diagnosis {
  readonly install: InstallSnapshot;
  /** What could not be looked at, and why. */
  readonly unseen: readonly string[];
}

/** Looks once at all that tells of a running install: API, mirror, installer, and journals where they may be read. */
export async function diagnoseLive(
  ctx: Context,
  work: StageWork,
  options: LiveOptions = {},
): Promise<LiveDiagnosis> {
  const { log } = requireInstall(work);
  const unseen: string[] = [];
  const trying = async <T>(what: string, task: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await task();
    } catch (error) {
      ctx.signal.throwIfAborted();
      unseen.push(`${what}: ${messageOf(error)}`);
      return undefined;
    }
  };
  const view = await openView(ctx, work, { ...options, sinceMs: 0 });
  await trying('what machines pulled', () => readPulls(ctx, work, view));
  view.saw(await trying('the Kubernetes API', () => lookOnce(ctx, work)));
  return await inTemporaryFolder(async (folder) => {
    const { bootstrap } = options;
    if (bootstrap !== undefined) {
      const host = sshHost(targetOf(bootstrap), { attempts: 1 });
      await trying(`the journals of ${bootstrap}`, () => putJournals(ctx, host, folder));
      await host.close();
    }
    const paths = [...((await exists(log)) ? [log] : []), folder];
    const found = await diagnose(ctx, paths);
    return { ...found, install: snapshotOf(view, log), unseen };
  });
}
