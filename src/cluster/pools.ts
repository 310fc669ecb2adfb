import * as z from 'zod';
import type { Context } from '../core/context.ts';
import { readMirrorSet } from '../generate/mirror-set-migration.ts';
import type { RegistriesConf } from '../oci/registries/model.ts';
import { KINDS } from './api/kinds.ts';
import { conditionOf, type KubeObject } from './api/object.ts';
import type { Resources } from './api/resources.ts';
import { type Look, waitFor } from './api/wait.ts';
import { nodeRegistries } from './node-registries.ts';

const poolSchema = z.object({
  metadata: z.object({ name: z.string() }),
  spec: z.object({
    paused: z.boolean().default(false),
    configuration: z.object({ name: z.string().default('') }).default({ name: '' }),
  }),
  status: z
    .object({
      machineCount: z.number().default(0),
      updatedMachineCount: z.number().default(0),
      degradedMachineCount: z.number().default(0),
      configuration: z.object({ name: z.string().default('') }).default({ name: '' }),
    })
    .default({
      machineCount: 0,
      updatedMachineCount: 0,
      degradedMachineCount: 0,
      configuration: { name: '' },
    }),
});

/** A machine config pool, reduced to whether its nodes have what they shall have. */
export interface ConfigPool {
  readonly name: string;
  readonly machines: number;
  readonly updated: number;
  readonly paused: boolean;
  /** Why it cannot go on, in its own words. */
  readonly degraded: string | undefined;
  readonly settled: boolean;
  /** The rendered MachineConfig that all its nodes run. */
  readonly running: string;
}

export function poolOf(object: KubeObject): ConfigPool {
  const { metadata, spec, status } = poolSchema.parse(object);
  // The first two say why; the last one only that.
  const degraded = ['NodeDegraded', 'RenderDegraded', 'Degraded']
    .map((type) => conditionOf(object, type))
    .find((one) => one?.status === 'True');
  const is = (type: string) => conditionOf(object, type)?.status === 'True';
  return {
    name: metadata.name,
    machines: status.machineCount,
    updated: status.updatedMachineCount,
    paused: spec.paused,
    degraded: degraded && (degraded.message || degraded.reason || degraded.type),
    settled:
      is('Updated') &&
      !is('Updating') &&
      degraded === undefined &&
      status.degradedMachineCount === 0 &&
      status.updatedMachineCount === status.machineCount &&
      status.configuration.name === spec.configuration.name,
    running: status.configuration.name,
  };
}

/** Mirror rules that nodes must know before a pool counts as done. */
export interface WantedMirror {
  readonly source: string;
  readonly mirror: string;
  /** Nodes must not ask the source. */
  readonly only: boolean;
}

export function wantedMirrors(objects: readonly KubeObject[]): WantedMirror[] {
  return objects
    .flatMap((object) => readMirrorSet(object)?.rules ?? [])
    .flatMap(({ source, mirrors, policy }) =>
      mirrors.map((mirror) => ({ source, mirror, only: policy === 'NeverContactSource' })),
    );
}

/** Rules that a `registries.conf` does not say. */
export function missingMirrors(
  conf: RegistriesConf,
  wanted: readonly WantedMirror[],
): WantedMirror[] {
  return wanted.filter(({ source, mirror, only }) => {
    const rule = conf.registries.find(({ prefix }) => prefix === source);
    if (only && !rule?.blocked) return true;
    return !rule?.mirrors.some(({ location }) => location === mirror);
  });
}

export interface PoolWait {
  readonly timeoutMs: number;
  readonly everyMs?: number | undefined;
  /** A pool may say that it is degraded and recover; after this it is believed. */
  readonly degradedMs?: number | undefined;
}

const DEGRADED_MS = 5 * 60_000;

/**
 * Waits until every pool has settled on a configuration that knows the mirrors. That it says
 * "updated" is not enough: right after a change, it says so of the configuration before.
 */
export async function waitForPools(
  ctx: Context,
  resources: Resources,
  wanted: readonly WantedMirror[],
  options: PoolWait,
): Promise<readonly ConfigPool[]> {
  const { degradedMs = DEGRADED_MS } = options;
  const degradedSince = new Map<string, number>();
  const isBelieved = (name: string) => {
    const since = degradedSince.get(name) ?? ctx.now().getTime();
    degradedSince.set(name, since);
    return ctx.now().getTime() - since >= degradedMs;
  };
  return await waitFor(ctx, {
    task: 'machine-config-pools',
    title: 'the machine config pools',
    timeoutMs: options.timeoutMs,
    everyMs: options.everyMs,
    hint: 'See which node is stuck: oc get nodes; oc describe mcp',
    look: async () => {
      const { objects } = await resources.list(ctx, KINDS.pool);
      const pools = objects.map(poolOf);
      for (const { name, degraded } of pools) if (!degraded) degradedSince.delete(name);
      const looks = await Promise.all(
        pools.map((pool) => lookAt(ctx, resources, pool, wanted, isBelieved)),
      );
      return joined(looks) ?? { done: true, value: pools };
    },
  });
}

type Waiting = Exclude<Look<unknown>, { done: true }>;

/** All reasons in one line; one that is hopeless makes all of it hopeless. */
function joined(looks: readonly (Waiting | undefined)[]): Waiting | undefined {
  const waiting = looks.filter((look) => look !== undefined);
  if (waiting.length === 0) return undefined;
  return {
    done: false,
    reason: waiting.map(({ reason }) => reason).join('; '),
    hopeless: waiting.find(({ hopeless }) => hopeless)?.hopeless,
  };
}

async function lookAt(
  ctx: Context,
  resources: Resources,
  pool: ConfigPool,
  wanted: readonly WantedMirror[],
  isBelieved: (name: string) => boolean,
): Promise<Waiting | undefined> {
  const { name, machines, updated, degraded } = pool;
  const not = (reason: string, hint?: string): Waiting => ({
    done: false,
    reason: `${name}: ${reason}`,
    hopeless: hint === undefined ? undefined : { hint },
  });
  if (degraded !== undefined) {
    const hint = `See why: oc describe mcp ${name}`;
    return not(`degraded: ${degraded}`, isBelieved(name) ? hint : undefined);
  }
  const missing = missingMirrors(await nodeRegistries(ctx, resources, pool.running), wanted);
  if (pool.settled && (missing.length === 0 || machines === 0)) return undefined;
  if (pool.paused) {
    const unpause = `oc patch mcp/${name} --type merge -p '{"spec":{"paused":false}}'`;
    return not('it is paused, so its nodes get nothing new', `Let it go on: ${unpause}`);
  }
  if (!pool.settled) return not(`${updated} of ${machines} machines updated`);
  const sources = [...new Set(missing.map(({ source }) => source))];
  return not(`its nodes do not know the mirror of ${sources.join(', ')} yet`);
}
