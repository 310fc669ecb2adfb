import { join } from 'node:path';
import type { Context } from '../core/context.ts';
import { AtollError } from '../core/errors.ts';
import type { ClusterMachine } from '../platform/platform.ts';
import type { AccessEntry } from '../registry/access/access-log.ts';
import { parseAccessLine } from '../registry/access/read-access-log.ts';
import { bastionPlace, isElsewhere } from './bastion/bastion-place.ts';
import { bastionOf } from './stages/places.ts';
import type { StageWork } from './stages/stage.ts';

/** Where the embedded registry of a site logs, on its bastion; undefined where the mirror is somebody else's. */
export function mirrorLog({ site, paths }: Pick<StageWork, 'site' | 'paths'>): string | undefined {
  if (site.registry.type !== 'embedded') return undefined;
  const { registry } = isElsewhere(site) ? bastionPlace(site).paths : paths;
  return join(registry, 'access.log');
}

/** A line of the log, with the address of the client as people write it; undefined for anything else. */
export function readMirrorRequest(line: string): AccessEntry | undefined {
  const found = parseAccessLine(line);
  return found && { ...found, client: found.client.replace(/^::ffff:/, '') };
}

/**
 * Whether a machine of the cluster asked. What atoll itself reads, to mirror and to rehearse, proves
 * nothing; where addresses of the machines are known, nobody else counts.
 */
export function isOfMachine(
  { agent, client }: Pick<AccessEntry, 'agent' | 'client'>,
  machines: readonly ClusterMachine[] = [],
): boolean {
  if (agent?.startsWith('atoll')) return false;
  const known = machines.flatMap(({ addresses }) => addresses ?? []);
  return known.length === 0 || known.includes(client);
}

/** Digests that the mirror handed out to machines of the cluster, by its own log; undefined: nobody knows. */
export async function servedDigests(
  ctx: Context,
  work: StageWork,
): Promise<ReadonlySet<string> | undefined> {
  if (mirrorLog(work) === undefined) return undefined;
  const served = new Set<string>();
  for await (const line of mirrorLogLines(ctx, work)) {
    const found = readMirrorRequest(line);
    if (found?.status !== 200 || found.digest === undefined) continue;
    if (isOfMachine(found, work.platform.machines)) served.add(found.digest);
  }
  return served;
}

/** The lines of the mirror's log so far. */
export async function* mirrorLogLines(ctx: Context, work: StageWork): AsyncGenerator<string> {
  const path = mirrorLog(work);
  if (path === undefined) return;
  const bastion = await bastionOf(ctx, work);
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for await (const chunk of bastion.get(ctx, path)) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
      rest = lines.pop() ?? '';
      yield* lines;
    }
  } catch (error) {
    // A log that was never begun, or was carried away, says nothing.
    if (!(error instanceof AtollError && error.code === 'FILE_UNREADABLE')) throw error;
  }
}
