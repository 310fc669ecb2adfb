import { X509Certificate } from 'node:crypto';
import { join } from 'node:path';
import { type Context, silentContext } from '../core/context.ts';
import { messageOf } from '../core/errors.ts';
import { readTextIfPresent } from '../core/files.ts';
import type { SiteResource } from '../platform/platform.ts';
import { gatherPulls, type Pulls } from '../registry/access/pulls.ts';
import { readAccessLog } from '../registry/access/read-access-log.ts';
import { freeSpace } from '../store/disk/free-space.ts';
import { bastionPlace, isElsewhere } from './bastion/bastion-place.ts';
import { isOfMachine, mirrorLog, mirrorLogLines, readMirrorRequest } from './mirror-log.ts';
import { hasMirror, mirrorLocation } from './mirror-place.ts';
import type { OpenSite } from './open-site.ts';
import { lookAtRemoteMirror } from './remote-mirror.ts';
import { isServiceRunning } from './service.ts';
import { bastionOf } from './stages/places.ts';
import { STAGE_IDS } from './stages/stage.ts';
import { isUnitActive } from './system-service.ts';

export interface StageStatus {
  readonly stage: string;
  readonly state: 'finished' | 'started' | 'failed' | 'undone' | 'not run';
  readonly at: string | undefined;
  readonly message: string | undefined;
}

export interface SiteStatus {
  readonly site: string;
  readonly stages: readonly StageStatus[];
  readonly resources: readonly (SiteResource & { readonly running?: boolean })[];
  readonly mirror: MirrorStatus;
}

/** The mirror of a site: where it is, how long it may be trusted, how much room it has, who pulls. */
export interface MirrorStatus {
  readonly address: string;
  /** Whole days until its certificate runs out; undefined where it is not ours, or not made yet. */
  readonly certificateDays: number | undefined;
  readonly freeBytes: number | undefined;
  /** Why a mirror on another machine could not be looked at. */
  readonly unreached?: string | undefined;
  readonly clients: readonly {
    readonly client: string;
    readonly images: number;
    readonly bytes: number;
    readonly lastAt: string;
  }[];
}

const DAY_MS = 86_400_000;

/** A status must come soon, also while a bastion is away. */
const ANSWER_MS = 10_000;

type Looked = Omit<MirrorStatus, 'address'>;

const NOTHING_SEEN: Looked = { certificateDays: undefined, freeBytes: undefined, clients: [] };

async function mirrorStatus(
  ctx: Context,
  work: OpenSite['work'],
  isMade: boolean,
): Promise<MirrorStatus> {
  const { site } = work;
  const address = hasMirror(site) ? mirrorLocation(site) : 'none';
  if (mirrorLog(work) === undefined) return { address, ...NOTHING_SEEN };
  if (!isElsewhere(site)) return { address, ...(await lookHere(ctx, work)) };
  return { address, ...(isMade ? await lookThere(ctx, work) : NOTHING_SEEN) };
}

async function lookHere(ctx: Context, { site, paths }: OpenSite['work']): Promise<Looked> {
  const pulls = gatherPulls();
  for await (const entry of readAccessLog(mirrorLog({ site, paths }) ?? ''))
    if (isOfMachine(entry)) pulls.add(entry);
  return {
    certificateDays: daysOf(
      await readTextIfPresent(join(paths.registry, 'tls', 'server.crt')),
      ctx.now(),
    ),
    freeBytes: await freeSpace(paths.registry),
    clients: clientsOf(pulls),
  };
}

/** Over SSH. What does not answer is told, and does not fail the status. */
async function lookThere(ctx: Context, work: OpenSite['work']): Promise<Looked> {
  const within = { ...ctx, signal: AbortSignal.any([ctx.signal, AbortSignal.timeout(ANSWER_MS)]) };
  try {
    const host = await bastionOf(within, work);
    const folder = await lookAtRemoteMirror(within, host, bastionPlace(work.site).paths.registry);
    const pulls = gatherPulls();
    for await (const line of mirrorLogLines(within, work)) {
      const entry = readMirrorRequest(line);
      if (entry && isOfMachine(entry)) pulls.add(entry);
    }
    const certificateDays = daysOf(folder.certificate, ctx.now());
    return { certificateDays, freeBytes: folder.freeBytes, clients: clientsOf(pulls) };
  } catch (error) {
    ctx.signal.throwIfAborted();
    return { ...NOTHING_SEEN, unreached: messageOf(error) };
  }
}

function daysOf(pem: string | undefined, now: Date): number | undefined {
  if (pem === undefined) return undefined;
  const until = new Date(new X509Certificate(pem).validTo);
  return Math.floor((until.getTime() - now.getTime()) / DAY_MS);
}

const clientsOf = (pulls: Pulls): MirrorStatus['clients'] =>
  pulls.clients().map(({ client, images, bytes, lastAt }) => ({
    ...{ client, images: images.length, bytes, lastAt },
  }));

/** Kinds of things that run, and how to look whether they do. */
const RUNNING: Readonly<Record<string, (id: string) => Promise<boolean>>> = {
  service: isServiceRunning,
  unit: (id) => isUnitActive(silentContext(), id),
};

/** Where a site stands, from its journal and inventory. */
export async function siteStatus(
  ctx: Context,
  { work, journal, inventory }: OpenSite,
): Promise<SiteStatus> {
  const own = [...journal.steps().keys()].filter((id) => !STAGE_IDS.some((stage) => stage === id));
  const stages = [...STAGE_IDS, ...own].map((stage) => {
    const history = journal.history(stage);
    return {
      stage,
      state: history?.state ?? ('not run' as const),
      at: history?.at,
      message: history?.message,
    };
  });
  const resources = await Promise.all(
    inventory.resources().map(async (resource) => {
      const running = await RUNNING[resource.kind]?.(resource.id);
      return running === undefined ? resource : { ...resource, running };
    }),
  );
  const mirror = await mirrorStatus(ctx, work, journal.history('registry')?.state === 'finished');
  return { site: work.site.name, stages, resources, mirror };
}
