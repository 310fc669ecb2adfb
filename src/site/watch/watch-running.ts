import type { Context } from '../../core/context.ts';
import { AtollError, messageOf } from '../../core/errors.ts';
import { exists } from '../../core/files.ts';
import { NO_RETRY, sleep } from '../../core/retry.ts';
import { localHost } from '../../host/local-host.ts';
import { sshHost } from '../../host/ssh-host.ts';
import { type Diagnosis, diagnose } from '../../observe/diagnose.ts';
import type { StageWork } from '../stages/stage.ts';
import {
  bootstrapTarget,
  followBootstrap,
  inTemporaryFolder,
  putJournals,
} from './bootstrap-journal.ts';
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
  /** The bootstrap machine as `ssh` takes it, instead of the one that the platform knows. */
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
  const target = await bootstrapTarget(work, options.bootstrap);
  const companions = [followWords(log, view), followBootstrap(target, view)];
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
    const target = await bootstrapTarget(work, options.bootstrap);
    if (target) {
      const host = sshHost(target, NO_RETRY);
      await trying(`the journals of ${host.name}`, () => putJournals(ctx, host, folder));
      await host.close();
    }
    const paths = [...((await exists(log)) ? [log] : []), folder];
    const found = await diagnose(ctx, paths);
    return { ...found, install: snapshotOf(view, log), unseen };
  });
}
