import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Context } from '../core/context.ts';
import { AtollError, systemCodeOf } from '../core/errors.ts';
import { readText, writeFileAtomic } from '../core/files.ts';
import { shellLine } from '../core/format.ts';
import { runProgram } from '../core/process.ts';
import { selfCommand } from '../core/self.ts';
import { formatIgnition } from '../generate/ignition/config.ts';
import { WorkingDir } from '../mirror/flow/working-dir.ts';
import { mirrorHost } from '../site/mirror-place.ts';
import { stopService } from '../site/service.ts';
import { INSTALL_FILES } from '../site/stages/config.ts';
import { withRegistries } from '../site/stages/places.ts';
import type { StageWork } from '../site/stages/stage.ts';
import type { JsonObject, StepRun } from '../workflow/step.ts';
import { spoil } from './breaks.ts';
import { readLabSettings } from './lab-settings.ts';
import { gatherLogBundle } from './log-bundle.ts';
import { machineIgnition, makeMachine, type NodeConfiguration } from './machine.ts';
import { Board } from './node/board.ts';
import type { NodeSpec, Role } from './node/node-spec.ts';

/** After so many tries a lab node gives up where a real one would loop for ever. */
const PATIENCE = 3;

const machinesOf = (state: string): string => join(state, 'machines');
export const boardOf = (state: string): string => join(machinesOf(state), 'board');
export const logBundleOf = (state: string): string => join(state, 'log-bundle');

/** Rehearses the install: machines of a lab pull everything through the generated configuration. */
export async function runLabCluster(
  ctx: Context,
  work: StageWork,
  { outputs, log }: StepRun,
): Promise<JsonObject> {
  const { state } = work.paths;
  const settings = await readLabSettings(state);
  // Upstream goes first: from here on nothing can leak.
  if (settings.upstreamPidFile) await stopService(ctx, settings.upstreamPidFile);
  await discardMachines(machinesOf(state));

  const configuration = await spoil(settings.break, await nodeConfiguration(work), ctx.now());
  if (settings.break === 'image') await removeOneImage(ctx, work);
  const specs = nodeSpecs(work, outputs.config ?? {}, settings.break === 'disk');
  const ignition = machineIgnition(configuration);
  await writeFileAtomic(join(work.paths.install, 'bootstrap.ign'), formatIgnition(ignition), {
    mode: 0o600,
  });
  for (const spec of specs) await makeMachine(spec, ignition);

  const startedAt = ctx.now().toISOString();
  const failed = await runMachines(ctx, specs, log);
  const machines = specs.map(({ name, root }) => ({ name, root, failed: failed.has(name) }));
  await gatherLogBundle(logBundleOf(state), machines);
  if (failed.size > 0) throw clusterFailed(failed, logBundleOf(state));
  return { startedAt, nodes: specs.map(({ name }) => name), logBundle: logBundleOf(state) };
}

/**
 * New machines each time: what an earlier try pulled or logged would tell of that one. Machines of a
 * lab that was killed a moment ago may still be on their way out.
 */
async function discardMachines(folder: string): Promise<void> {
  const aside = `${folder}.old`;
  const away = { recursive: true, force: true, maxRetries: 10, retryDelay: 50 };
  await rm(aside, away);
  await rename(folder, aside).catch((error: unknown) => {
    if (systemCodeOf(error) !== 'ENOENT') throw error;
  });
  await rm(aside, away);
}

function clusterFailed(failed: ReadonlySet<string>, bundle: string): AtollError {
  return new AtollError(
    'CLUSTER_FAILED',
    `The rehearsed install did not come up: ${[...failed].join(', ')} failed`,
    {
      hint: `Run: ${shellLine(['atoll', 'diagnose', bundle])}`,
      details: { logBundle: bundle },
    },
  );
}

async function nodeConfiguration({ site, paths }: StageWork): Promise<NodeConfiguration> {
  const file = (name: keyof typeof INSTALL_FILES) =>
    readText(join(paths.install, INSTALL_FILES[name]));
  return {
    registriesConf: await file('registriesConf'),
    pullSecret: await file('pullSecret'),
    trustBundle: await file('trustBundle'),
    mirrorName: mirrorHost(site).replace(/:\d+$/, ''),
    mirrorAddress: '127.0.0.1',
  };
}

function nodeSpecs({ site, paths }: StageWork, config: JsonObject, smallDisk: boolean): NodeSpec[] {
  const { controlPlane: masters, workers } = site.cluster;
  const common = {
    board: boardOf(paths.state),
    releaseImage: String(config.releaseImage),
    masters,
    workers,
    workloads: (config.workloads ?? []) as readonly string[],
    patience: PATIENCE,
    ...(smallDisk ? { diskBytes: 3_000_000 } : {}),
  };
  const spec = (name: string, role: Role): NodeSpec => ({
    ...common,
    name,
    role,
    root: join(machinesOf(paths.state), name),
  });
  return [
    spec('bootstrap', 'bootstrap'),
    ...Array.from({ length: masters }, (_, index) => spec(`master-${index}`, 'master')),
    ...Array.from({ length: workers }, (_, index) => spec(`worker-${index}`, 'worker')),
  ];
}

/** Runs every machine as a process of its own; the names of those that failed. */
async function runMachines(
  ctx: Context,
  specs: readonly NodeSpec[],
  log: (line: string) => void,
): Promise<Set<string>> {
  const failed = new Set<string>();
  const stop = new AbortController();
  const signal = AbortSignal.any([ctx.signal, stop.signal]);
  const task = { task: 'install', title: 'Rehearse the install' };
  ctx.emit({ type: 'task.started', ...task, totalItems: specs.length });
  let done = 0;
  let trouble: unknown;
  await Promise.all(
    specs.map(async (spec) => {
      const status = await runMachine({ signal }, spec, log).catch((error: unknown) => {
        if (!signal.aborted) trouble = error;
        return 1;
      });
      done += 1;
      ctx.emit({
        type: 'task.progressed',
        task: 'install',
        doneItems: done,
        totalItems: specs.length,
        note: spec.name,
      });
      if (status === 0) return;
      failed.add(spec.name);
      // The others would wait for it for ever.
      stop.abort();
    }),
  );
  ctx.signal.throwIfAborted();
  if (trouble !== undefined) throw trouble;
  const first = await firstToFail(failed, new Board(specs[0]?.board ?? ''));
  if (first.size === 0) {
    ctx.emit({ type: 'task.finished', ...task, summary: `${specs.length} machines` });
  } else {
    ctx.emit({ type: 'task.failed', ...task, message: `${[...first].join(', ')} failed` });
  }
  return first;
}

/** Machines that were stopped because another failed are not to blame. */
async function firstToFail(failed: ReadonlySet<string>, board: Board): Promise<Set<string>> {
  const told = new Set(await board.names('failed'));
  const own = [...failed].filter((name) => told.has(name));
  return new Set(own.length > 0 ? own : failed);
}

async function runMachine(
  ctx: Pick<Context, 'signal'>,
  spec: NodeSpec,
  log: (line: string) => void,
): Promise<number> {
  const self = selfCommand();
  const args = ['lab-node', spec.root, '--stop-at-eof', '--output', 'json'];
  const { status } = await runProgram(ctx, self.file, [...self.args, ...args], {
    // The end of its input is how it learns that we are gone, however we went.
    holdInput: true,
    discard: true,
    onLine: (line, stream) => stream === 'stderr' && log(`${spec.name}: ${line}`),
  });
  return status;
}

/** Takes one component out of the mirror, as a mirror that lost nine hundred would. */
async function removeOneImage(ctx: Context, work: StageWork): Promise<void> {
  const mirrored = await new WorkingDir(work.paths.mirror).mirrored();
  const victim = mirrored.find(({ image }) => image.component === 'etcd');
  if (!victim) return;
  await withRegistries(work, (registries) =>
    registries
      .repository(victim.target.registry, victim.target.repository)
      .remove(ctx, victim.digest),
  );
}
