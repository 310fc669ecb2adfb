import { cp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Context } from '../core/context.ts';
import { AtollError } from '../core/errors.ts';
import { makeFolder } from '../core/files.ts';
import { shellLine } from '../core/format.ts';
import type { JsonObject } from '../core/json.ts';
import { runProgram } from '../core/process.ts';
import { selfCommand } from '../core/self.ts';
import { formatFailedUnits } from '../observe/formats/failed-units.ts';
import type { InstallRun, PlatformSite } from '../platform/platform.ts';
import { logBundleOf } from './lab-paths.ts';
import { readLabSettings } from './lab-settings.ts';
import { Board } from './node/board.ts';
import { journalsOf, recordsOf } from './node/node-journal.ts';
import type { NodeSpec } from './node/node-spec.ts';
import { nodeSpecs } from './node-specs.ts';

/** Rehearses the install: machines of a lab pull everything through the generated configuration. */
export async function watchLab(
  ctx: Context,
  site: PlatformSite,
  run: Pick<InstallRun, 'outputs' | 'log'>,
): Promise<JsonObject> {
  const { state } = site.paths;
  const settings = await readLabSettings(state);
  const specs = nodeSpecs(site, run, settings);
  if (settings.break)
    ctx.emit({ type: 'warning.raised', message: `Broken on purpose: ${settings.break}` });
  const startedAt = ctx.now().toISOString();
  const failed = await runMachines(ctx, specs, run.log);
  const machines = specs.map(({ name, root }) => ({ name, root, failed: failed.has(name) }));
  const logBundle = logBundleOf(state);
  await gatherLogBundle(logBundle, machines);
  if (failed.size > 0) throw clusterFailed(failed, logBundle);
  return { startedAt, logBundle };
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

interface Machine {
  readonly name: string;
  readonly root: string;
  readonly failed: boolean;
}

/** Gathers the logs of the lab's machines in the layout of `openshift-install gather bootstrap`. */
export async function gatherLogBundle(folder: string, machines: readonly Machine[]): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  for (const machine of machines) {
    const isBootstrap = machine.name === 'bootstrap';
    const to = isBootstrap
      ? join(folder, 'bootstrap')
      : join(folder, 'control-plane', machine.name);
    await copyJournals(machine.root, join(to, 'journals'));
    if (isBootstrap) await copyIfThere(recordsOf(machine.root), join(to, 'services'));
    const failed = machine.failed
      ? [{ name: await lastUnit(machine.root), about: 'of an atoll lab' }]
      : [];
    const units = join(isBootstrap ? folder : to, 'failed-units.txt');
    await writeFile(units, formatFailedUnits(failed));
  }
}

/** The unit that had the last word: a machine of a lab ends with its first failure. */
async function lastUnit(root: string): Promise<string> {
  const journal = await readFile(join(journalsOf(root), 'journal.log'), 'utf8').catch(() => '');
  const units = [...journal.matchAll(/^.*? ([\w-]+\.service)\[\d+\]: /gm)];
  return units.at(-1)?.[1] ?? 'bootkube.service';
}

/** Units whose lines are only in the whole journal, as in a real bundle. */
const WITHOUT_OWN_FILE = [
  'node-image-pull.log',
  'node-image-overlay.log',
  'node-image-finish.log',
  'progress.log',
];

async function copyJournals(root: string, to: string): Promise<void> {
  await copyIfThere(journalsOf(root), to);
  for (const name of WITHOUT_OWN_FILE) await rm(join(to, name), { force: true });
  const whole = join(to, 'journal.log');
  const bytes = await readFile(whole).catch(() => undefined);
  if (!bytes) return;
  await writeFile(`${whole}.gz`, gzipSync(bytes));
  await rm(whole);
}

async function copyIfThere(from: string, to: string): Promise<void> {
  await makeFolder(to);
  const names = await readdir(from).catch(() => []);
  for (const name of names) await cp(join(from, name), join(to, name));
}
