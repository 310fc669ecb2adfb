import { isIP } from 'node:net';
import type { Context } from '../core/context.ts';
import { AtollError } from '../core/errors.ts';
import { runProgram } from '../core/process.ts';
import type { SelfCommand } from '../core/self.ts';
import { hostOf } from '../oci/registries/location.ts';
import { findLeaks } from './check/leaks.ts';
import { findingsOf } from './findings.ts';
import { startForward } from './isolate/forward.ts';
import { type NamespacePlan, readNamespacePlan } from './isolate/namespace-plan.ts';
import { findIsolation, runIsolated } from './isolate/run-isolated.ts';
import type { NodeConfig } from './node/node-config.ts';
import { openNode, type RehearsalNode } from './node/open-node.ts';
import {
  type FullRehearsal,
  isClean,
  type Rehearsal,
  type RehearsalOptions,
  rehearse,
} from './rehearse.ts';
import { assumptionsOf, type Hardware, type Model, modelInstall } from './storm/model.ts';
import { playStorm, type Storm } from './storm/play-storm.ts';
import { reliefOf } from './storm/relief.ts';
import { pullPlan } from './storm/shares.ts';

export interface StormOptions {
  readonly nodes: number;
  /** Most bytes a second over all nodes. */
  readonly bytesPerSecond?: number | undefined;
  readonly hardware: Omit<Hardware, 'firstByteMs'>;
  /** Sizes of clusters to model besides. */
  readonly modelNodes: readonly number[];
}

export interface RehearsalRunOptions extends RehearsalOptions {
  /** Registries of the site that images name themselves. */
  readonly mirrors?: readonly string[] | undefined;
  /** How to start the same rehearsal once more, in a namespace of its own. */
  readonly isolate?: SelfCommand | undefined;
  /** Set where we are the process in the namespace. */
  readonly namespacePlan?: string | undefined;
  readonly storm?: StormOptions | undefined;
}

/** A rehearsal with all that goes with it, as plain JSON. */
export interface RehearsalResult extends Rehearsal {
  /** Whether it ran where only the mirror can be reached. */
  readonly isolated: boolean;
  readonly storm?: Storm | undefined;
  readonly models?: readonly Model[] | undefined;
  readonly assumptions?: readonly string[] | undefined;
  /** What several mirrors and pinned images buy. */
  readonly relief?: readonly string[] | undefined;
}

/** Opens a node, rehearses, and plays the storm where one is wanted. */
export async function runRehearsal(
  ctx: Context,
  config: NodeConfig,
  options: RehearsalRunOptions,
): Promise<RehearsalResult> {
  if (options.namespacePlan !== undefined) {
    return await rehearseInside(ctx, config, options, options.namespacePlan);
  }
  const node = await openNode(config, options.mirrors);
  try {
    if (options.isolate) return await rehearseIsolated(ctx, node, options, options.isolate);
    return await rehearseHere(ctx, node, options);
  } finally {
    await node.close();
  }
}

async function rehearseHere(
  ctx: Context,
  node: RehearsalNode,
  options: RehearsalRunOptions,
): Promise<RehearsalResult> {
  const full = await rehearse(ctx, node, options);
  const storm = options.storm && (await runStorm(ctx, node, full, options.storm));
  return { ...full.rehearsal, isolated: false, ...storm };
}

async function rehearseIsolated(
  ctx: Context,
  node: RehearsalNode,
  options: RehearsalRunOptions,
  self: SelfCommand,
): Promise<RehearsalResult> {
  const isolation = await findIsolation(ctx);
  if (!isolation.possible) {
    const what = `This did not run isolated: no network namespace (${isolation.reason})`;
    ctx.emit({
      type: 'warning.raised',
      message: what,
      hint: 'Run it as root, or on another machine',
    });
    const here = await rehearseHere(ctx, node, options);
    return { ...here, unchecked: [...here.unchecked, what] };
  }
  const inside = await runIsolated(ctx, node, isolation.prefix, self);
  // From inside no upstream can be reached, so its doors are tried from out here.
  const leaks = options.allowUpstream ? [] : await outsideLeaks(ctx, node, inside.openSources);
  const findings = [...leaks, ...inside.findings];
  return { ...inside, findings, clean: isClean(findings, inside.unread), isolated: true };
}

async function outsideLeaks(ctx: Context, node: RehearsalNode, hosts: readonly string[]) {
  const rulesFor = (host: string) =>
    node.config.conf.registries.filter(({ prefix }) => hostOf(prefix) === host);
  const sources = hosts.map((host) => ({ host, rules: rulesFor(host) }));
  return findingsOf(await findLeaks(ctx, node, sources));
}

/** We are the process in the namespace: names come from the plan, and only the mirror answers. */
async function rehearseInside(
  ctx: Context,
  config: NodeConfig,
  options: RehearsalRunOptions,
  path: string,
): Promise<RehearsalResult> {
  const plan = await readNamespacePlan(path);
  const close = await openDoors(ctx, plan);
  const node = await openNode(withoutDns(config, plan), options.mirrors);
  try {
    const { rehearsal } = await rehearse(ctx, node, { ...options, skipLeaks: true });
    return { ...rehearsal, isolated: true };
  } finally {
    await node.close();
    close();
  }
}

async function runStorm(
  ctx: Context,
  node: RehearsalNode,
  { checks }: FullRehearsal,
  { nodes, bytesPerSecond, hardware, modelNodes }: StormOptions,
) {
  const planFor = (count: number) => pullPlan(checks, count, node.config.osImageStream);
  const storm = await playStorm(ctx, node, planFor(nodes), bytesPerSecond);
  const complete = { ...hardware, firstByteMs: storm.firstByteMs.p50 };
  const sizes = [...new Set([nodes, ...modelNodes])].toSorted((a, b) => a - b);
  const models = sizes.map((size) => modelInstall(planFor(size), complete));
  const largest = models.at(-1);
  return {
    storm,
    models,
    assumptions: largest ? assumptionsOf(complete, largest) : [],
    relief: reliefOf(node.config.conf, planFor(largest?.nodes ?? nodes), largest),
  };
}

/**
 * Opens the doors of the mirror in a namespace that has nothing but a loopback device: the mirror's
 * addresses are put on it, and what comes in there leaves through the sockets of the plan.
 */
async function openDoors(ctx: Context, { doors }: NamespacePlan): Promise<() => void> {
  await ip(ctx, ['link', 'set', 'lo', 'up']);
  for (const address of new Set(doors.map((door) => door.address))) {
    if (!isLoopback(address)) await ip(ctx, ['addr', 'add', withLength(address), 'dev', 'lo']);
  }
  const servers = await Promise.all(
    doors.map(({ address, port, socket }) =>
      startForward({ host: address, port }, { path: socket }),
    ),
  );
  return () => {
    for (const server of servers) server.close();
  };
}

async function ip(ctx: Context, args: readonly string[]): Promise<void> {
  const { status, stderr } = await runProgram(ctx, 'ip', args);
  if (status !== 0)
    throw new AtollError('PROGRAM_FAILED', `Cannot set up the namespace: ${stderr.trim()}`);
}

const isLoopback = (address: string) => address.startsWith('127.') || address === '::1';

const withLength = (address: string) => `${address}/${isIP(address) === 6 ? 128 : 32}`;

/** The same node where names are those of the plan: DNS cannot be reached from here. */
function withoutDns(config: NodeConfig, { hosts }: NamespacePlan): NodeConfig {
  return { ...config, dns: false, hosts: new Map([...config.hosts, ...Object.entries(hosts)]) };
}
