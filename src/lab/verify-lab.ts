import { join } from 'node:path';
import * as z from 'zod';
import type { Context } from '../core/context.ts';
import { AtollError } from '../core/errors.ts';
import type { JsonObject } from '../core/json.ts';
import { sleep } from '../core/retry.ts';
import { WorkingDir } from '../mirror/flow/working-dir.ts';
import type { InstallRun, PlatformSite } from '../platform/platform.ts';
import { readAccessLog } from '../registry/access/read-access-log.ts';
import { boardOf } from './lab-paths.ts';
import { Board } from './node/board.ts';
import type { PulledImage } from './node/node-puller.ts';

const LOG_TRIES = 50;
const LOG_PAUSE_MS = 100;

/** What one node pulled. */
export const machinePulls = z.object({ node: z.string(), images: z.number(), bytes: z.number() });
export type MachinePulls = z.output<typeof machinePulls>;

/** Proves that every machine lived from the mirror alone, by what it did and by what the mirror saw. */
export async function verifyLab(
  ctx: Context,
  { cluster, mirror, paths }: PlatformSite,
  { outputs }: Pick<InstallRun, 'outputs'>,
): Promise<JsonObject> {
  const board = new Board(boardOf(paths.state));
  const nodes: MachinePulls[] = [];
  const pulled = new Set<string>();
  const elsewhere: string[] = [];
  for (const node of await board.names('pulls')) {
    const pulls = ((await board.read(`pulls/${node}`)) ?? []) as readonly PulledImage[];
    for (const { digest, image, endpoint } of pulls) {
      pulled.add(digest);
      if (!endpoint.startsWith(`${mirror}/`)) elsewhere.push(`${node}: ${image} from ${endpoint}`);
    }
    nodes.push({
      node,
      images: pulls.length,
      bytes: pulls.reduce((sum, { bytes }) => sum + bytes, 0),
    });
  }
  const log = {
    path: join(paths.registry, 'access.log'),
    since: String(outputs.cluster?.startedAt),
  };
  const unseen = await digestsNotServed(ctx, log, pulled);
  const mirrored = await new WorkingDir(paths.mirror).mirrored();
  const needed = mirrored.filter(
    ({ image }) => image.kind === 'component' || image.kind === 'release',
  );
  const missing = needed
    .filter(({ digest }) => !pulled.has(digest))
    .map(({ image }) => image.component ?? 'release');
  const joined = await board.names('node-joined');
  const problems = [
    ...elsewhere.map((found) => `pulled past the mirror: ${found}`),
    ...unseen.map((digest) => `the mirror's access log does not know ${digest}`),
    ...missing.map((name) => `nobody pulled ${name}`),
    ...(joined.length < cluster.controlPlane + cluster.workers
      ? [`only ${joined.join(', ')} joined`]
      : []),
  ];
  if (problems.length > 0)
    throw new AtollError(
      'CLUSTER_FAILED',
      `The lab is not what it should be: ${problems.join('; ')}`,
    );
  return {
    nodes: nodes.map((each) => ({ ...each })),
    images: pulled.size,
    joined,
    fromMirror: true,
  };
}

interface LogPart {
  readonly path: string;
  /** When the machines were switched on: what was asked before was not asked by them. */
  readonly since: string;
}

/** Of these digests, those the mirror did not hand out, by its access log. */
async function digestsNotServed(
  ctx: Context,
  { path, since }: LogPart,
  digests: ReadonlySet<string>,
): Promise<string[]> {
  // The log is written a moment after the answer.
  for (let tries = 1; ; tries += 1) {
    const served = await servedSince(path, since);
    const unseen = [...digests].filter((digest) => !served.has(digest));
    if (unseen.length === 0 || tries === LOG_TRIES) return unseen;
    await sleep(ctx, LOG_PAUSE_MS);
  }
}

async function servedSince(path: string, since: string): Promise<ReadonlySet<string>> {
  const served = new Set<string>();
  for await (const { status, digest } of readAccessLog(path, { since })) {
    if (status === 200 && digest !== undefined) served.add(digest);
  }
  return served;
}
