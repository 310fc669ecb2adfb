import type { Context } from '../../core/context.ts';
import { createPacer } from '../../core/pacer.ts';
import { createRegistries } from '../../remote/create-registries.ts';
import type { RehearsalNode } from '../node/open-node.ts';
import type { PullPhase, StormRole } from './shares.ts';
import { playNode, type StormLog } from './virtual-node.ts';

export interface StormPhase {
  readonly role: StormRole;
  readonly nodes: number;
  readonly bytes: number;
  readonly durationMs: number;
}

/** How the mirror bore the pulls of an install, measured from this machine. */
export interface Storm {
  readonly nodes: number;
  readonly images: number;
  readonly requests: number;
  readonly bytes: number;
  /** All phases: what an install of this size would spend pulling, with this machine as its nodes. */
  readonly durationMs: number;
  readonly bytesPerSecond: number;
  /** From the request for a blob to the start of its answer. */
  readonly firstByteMs: Spread;
  /** From the first request for an image to its last byte. */
  readonly imageMs: Spread;
  readonly failed: number;
  readonly errors: StormLog['errors'];
  readonly phases: readonly StormPhase[];
}

const SHOWN_ERRORS = 10;
const TASK = 'storm';

/** Plays the pulls of an install against the mirror; what arrives is counted and dropped. */
export async function playStorm(
  ctx: Context,
  node: RehearsalNode,
  plan: readonly PullPhase[],
  bytesPerSecond?: number,
): Promise<Storm> {
  const log: StormLog = {
    firstByteMs: [],
    imageMs: [],
    errors: [],
    bytes: 0,
    requests: 0,
    images: 0,
  };
  const pacer = createPacer(bytesPerSecond);
  const options = await stormOptions(ctx, node, plan);
  const phases: StormPhase[] = [];
  const nodes = plan.reduce((sum, phase) => sum + phase.nodes.length, 0);
  const title = `Play the pulls of ${nodes} machines`;
  ctx.emit({ type: 'task.started', task: TASK, title });
  for (const phase of plan) {
    const started = performance.now();
    const before = log.bytes;
    await Promise.all(phase.nodes.map((pulls) => playNode(ctx, options, pulls, pacer, log)));
    const durationMs = Math.round(performance.now() - started);
    phases.push({
      role: phase.role,
      nodes: phase.nodes.length,
      bytes: log.bytes - before,
      durationMs,
    });
    ctx.emit({ type: 'task.progressed', task: TASK, doneBytes: log.bytes, note: phase.role });
  }
  ctx.emit({ type: 'task.finished', task: TASK, title });
  return stormOf(log, phases, nodes);
}

/** The public roots are left out only where the trust bundle alone will do for every mirror. */
async function stormOptions(ctx: Context, node: RehearsalNode, plan: readonly PullPhase[]) {
  const images = plan.flatMap((phase) => phase.nodes.flatMap((pulls) => pulls.images));
  const found = images.flatMap((check) => check.found ?? []);
  const byRegistry = new Map(found.map((one) => [one.repository.registry, one]));
  const lean = createRegistries(node.leanOptions);
  try {
    for (const { endpoint, descriptor } of byRegistry.values()) {
      await lean.at(endpoint).manifest(ctx, descriptor);
    }
    return node.leanOptions;
  } catch {
    ctx.signal.throwIfAborted();
    return node.options;
  } finally {
    await lean.close();
  }
}

function stormOf(log: StormLog, phases: readonly StormPhase[], nodes: number): Storm {
  const durationMs = phases.reduce((sum, phase) => sum + phase.durationMs, 0);
  return {
    nodes,
    images: log.images,
    requests: log.requests,
    bytes: log.bytes,
    durationMs,
    bytesPerSecond: durationMs === 0 ? 0 : Math.round((log.bytes / durationMs) * 1000),
    firstByteMs: spreadOf(log.firstByteMs),
    imageMs: spreadOf(log.imageMs),
    failed: log.errors.length,
    errors: log.errors.slice(0, SHOWN_ERRORS),
    phases,
  };
}

/** A sample of times in milliseconds. */
interface Spread {
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

/** Nearest rank: a value that really was measured. */
export function spreadOf(samples: readonly number[]): Spread {
  const sorted = samples.toSorted((a, b) => a - b);
  const at = (share: number) => {
    const rank = Math.max(1, Math.ceil(share * sorted.length));
    return Math.round((sorted[rank - 1] ?? 0) * 10) / 10;
  };
  return { p50: at(0.5), p99: at(0.99), max: at(1) };
}
