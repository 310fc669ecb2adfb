import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Context } from '../../core/context.ts';
import { AtollError } from '../../core/errors.ts';
import { WorkingDir } from '../../mirror/flow/working-dir.ts';
import type { JsonObject } from '../../workflow/step.ts';
import { mirrorHost } from '../stages/places.ts';
import type { StageWork } from '../stages/stage.ts';
import { Board } from './node/board.ts';
import type { PulledImage } from './node/node-puller.ts';
import { boardOf } from './run-lab-cluster.ts';

/** What one node pulled. */
export interface NodePulls {
  readonly node: string;
  readonly images: number;
  readonly bytes: number;
}

/** Proves that every machine lived from the mirror alone, by what it did and by what the mirror saw. */
export async function verifyLab(_ctx: Context, { site, paths }: StageWork): Promise<JsonObject> {
  const board = new Board(boardOf(paths.state));
  const nodes: NodePulls[] = [];
  const pulled = new Set<string>();
  const elsewhere: string[] = [];
  for (const node of await board.names('pulls')) {
    const pulls = ((await board.read(`pulls/${node}`)) ?? []) as readonly PulledImage[];
    for (const { digest, image, endpoint } of pulls) {
      pulled.add(digest);
      if (!endpoint.startsWith(`${mirrorHost(site)}/`))
        elsewhere.push(`${node}: ${image} from ${endpoint}`);
    }
    nodes.push({
      node,
      images: pulls.length,
      bytes: pulls.reduce((sum, { bytes }) => sum + bytes, 0),
    });
  }
  const served = await digestsServed(join(paths.registry, 'access.log'));
  const unseen = [...pulled].filter((digest) => !served.has(digest));
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
    ...(joined.length < site.cluster.controlPlane + site.cluster.workers
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

/** Digests of manifests the mirror handed out, from its access log. */
async function digestsServed(path: string): Promise<Set<string>> {
  const served = new Set<string>();
  for (const line of (await readFile(path, 'utf8')).split('\n')) {
    if (line === '') continue;
    const { digest, status } = JSON.parse(line) as { digest?: string; status?: number };
    if (digest && status === 200) served.add(digest);
  }
  return served;
}
