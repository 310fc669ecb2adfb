import { formatDuration } from '../../core/format.ts';
import type { ClusterLook } from './look-cluster.ts';
import type { MachinePull, Refusal } from './pulls.ts';

/** Something that keeps an install from coming up. */
export interface InstallCause {
  readonly id: string;
  readonly message: string;
  readonly hint: string;
  /** It will not come by itself: somebody has to do something first. */
  readonly isDead: boolean;
}

/** All that is known at a moment. Times are in milliseconds since the epoch. */
export interface WatchFacts {
  readonly nowMs: number;
  readonly startedMs: number;
  readonly pulls: readonly MachinePull[];
  readonly refusals: readonly Refusal[];
  /** Undefined while the API does not answer. */
  readonly look: ClusterLook | undefined;
  /** When the API answered last; undefined: never yet. */
  readonly answeredMs: number | undefined;
  /** When the bootstrap was seen to be over. */
  readonly bootstrappedMs: number | undefined;
  /** Since when each operator or pool is degraded, by `operator NAME` and `pool NAME`. */
  readonly degradedMs: ReadonlyMap<string, number>;
  /** Machines that are to be nodes. */
  readonly expected: readonly string[];
  readonly mirror: string;
}

/** How long something may be wrong before it is believed. */
export interface Patience {
  readonly refusedMs: number;
  readonly refusedTimes: number;
  readonly silentMs: number;
  readonly degradedMs: number;
  readonly joinMs: number;
  readonly awayMs: number;
}

const MINUTE_MS = 60_000;
export const PATIENCE: Patience = {
  refusedMs: 2 * MINUTE_MS,
  refusedTimes: 3,
  silentMs: 15 * MINUTE_MS,
  degradedMs: 5 * MINUTE_MS,
  joinMs: 15 * MINUTE_MS,
  awayMs: MINUTE_MS,
};

/** What is wrong with an install by now, what is dead first. */
export function causesOf(facts: WatchFacts, patience: Patience = PATIENCE): InstallCause[] {
  const found = [
    ...refused(facts, patience),
    ...silent(facts, patience),
    ...away(facts, patience),
    ...degraded(facts, patience),
    ...absent(facts, patience),
  ];
  return found.toSorted((a, b) => Number(b.isDead) - Number(a.isDead));
}

function refused({ refusals, mirror }: WatchFacts, patience: Patience): InstallCause[] {
  const lasting = refusals.filter(
    ({ count, sinceMs, lastMs }) =>
      count >= patience.refusedTimes && lastMs - sinceMs >= patience.refusedMs,
  );
  return lasting.map(({ machine, why, what, count }) =>
    why === 'denied'
      ? {
          id: `denied ${machine}`,
          message: `${machine} cannot log in to the mirror ${mirror}: it came ${count} times as "${what}" with a wrong password`,
          hint: 'Its pull secret is not that of the mirror: atoll up --only config --fresh, and boot it with the new files',
          isDead: true,
        }
      : {
          id: `missing ${what}`,
          message: `${machine} asks the mirror ${mirror} for ${what} again and again, and the mirror has not got it`,
          hint: 'Bring it into the mirror, then go on waiting: atoll up --only images --fresh && atoll up',
          isDead: true,
        },
  );
}

/** Nobody has come: machines that are not booted, or cannot find the mirror, say nothing. */
function silent(facts: WatchFacts, { silentMs }: Patience): InstallCause[] {
  const { pulls, refusals, answeredMs, nowMs, startedMs, mirror } = facts;
  const isHeard = pulls.length > 0 || refusals.length > 0 || answeredMs !== undefined;
  if (isHeard || nowMs - startedMs < silentMs) return [];
  return [
    {
      id: 'silent',
      message: `No machine has asked the mirror ${mirror} for anything in ${formatDuration(nowMs - startedMs)}`,
      hint: 'Are they booted with the Ignition files? Look at a console; the name of the mirror must lead to it from there, and its port be open',
      isDead: false,
    },
  ];
}

function away({ look, answeredMs, nowMs }: WatchFacts, { awayMs }: Patience): InstallCause[] {
  if (look || answeredMs === undefined || nowMs - answeredMs < awayMs) return [];
  return [
    {
      id: 'away',
      message: `The Kubernetes API has not answered for ${formatDuration(nowMs - answeredMs)}, and had before`,
      hint: 'It goes away for minutes while the control plane moves to the masters; if it stays away, look at the load balancer',
      isDead: false,
    },
  ];
}

function degraded({ look, degradedMs, nowMs }: WatchFacts, patience: Patience): InstallCause[] {
  const lasts = (key: string) => nowMs - (degradedMs.get(key) ?? nowMs) >= patience.degradedMs;
  const operators = (look?.operators ?? []).flatMap(({ name, degraded: why }) =>
    why !== undefined && lasts(`operator ${name}`)
      ? { id: `operator ${name}`, what: `The operator ${name}`, why, see: `oc describe co ${name}` }
      : [],
  );
  const pools = (look?.stuckPools ?? []).flatMap(({ name, why }) =>
    lasts(`pool ${name}`)
      ? { id: `pool ${name}`, what: `The pool ${name}`, why, see: `oc describe mcp ${name}` }
      : [],
  );
  return [...operators, ...pools].map(({ id, what, why, see }) => ({
    id,
    message: `${what} is degraded: ${why}`,
    hint: `See more: ${see}`,
    isDead: false,
  }));
}

function absent(facts: WatchFacts, { joinMs }: Patience): InstallCause[] {
  const { look, bootstrappedMs, nowMs, expected, pulls } = facts;
  if (!look || bootstrappedMs === undefined || nowMs - bootstrappedMs < joinMs) return [];
  const there = new Set(look.nodes.map(({ name }) => name));
  return expected
    .filter((name) => !there.has(name))
    .map((name) => {
      const pulled = pulls.find(({ machine }) => machine === name);
      const seen = pulled
        ? `it has pulled ${pulled.images} images, so it runs: see its kubelet, and oc get csr`
        : 'it never asked the mirror for anything, so it is off, or does not find the mirror or api-int';
      return {
        id: `absent ${name}`,
        message: `${name} has not joined ${formatDuration(nowMs - bootstrappedMs)} after the bootstrap: ${seen}`,
        hint: `Look at its console; is it booted with worker.ign, and does api-int lead to the load balancer?`,
        isDead: false,
      };
    });
}
