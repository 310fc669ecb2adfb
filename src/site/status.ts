import { X509Certificate } from 'node:crypto';
import { join } from 'node:path';
import { silentContext } from '../core/context.ts';
import { readTextIfPresent } from '../core/files.ts';
import type { SiteResource } from '../platform/platform.ts';
import { gatherPulls } from '../registry/access/pulls.ts';
import { readAccessLog } from '../registry/access/read-access-log.ts';
import { freeSpace } from '../store/disk/free-space.ts';
import { isElsewhere } from './bastion/bastion-place.ts';
import { isOfMachine, mirrorLog } from './mirror-log.ts';
import { hasMirror, mirrorLocation } from './mirror-place.ts';
import type { OpenSite } from './open-site.ts';
import { isServiceRunning } from './service.ts';
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
  readonly clients: readonly {
    readonly client: string;
    readonly images: number;
    readonly bytes: number;
    readonly lastAt: string;
  }[];
}

const DAY_MS = 86_400_000;

async function mirrorStatus(work: OpenSite['work'], now: Date): Promise<MirrorStatus> {
  const { site, paths } = work;
  const address = hasMirror(site) ? mirrorLocation(site) : 'none';
  const log = mirrorLog(work);
  // One that is on another machine is not looked at for a status that must come at once.
  if (log === undefined || isElsewhere(site))
    return { address, certificateDays: undefined, freeBytes: undefined, clients: [] };
  const pem = await readTextIfPresent(join(paths.registry, 'tls', 'server.crt'));
  const until = pem === undefined ? undefined : new Date(new X509Certificate(pem).validTo);
  const pulls = gatherPulls();
  for await (const entry of readAccessLog(log)) if (isOfMachine(entry)) pulls.add(entry);
  return {
    address,
    certificateDays: until && Math.floor((until.getTime() - now.getTime()) / DAY_MS),
    freeBytes: await freeSpace(paths.registry),
    clients: pulls.clients().map(({ client, images, bytes, lastAt }) => ({
      ...{ client, images: images.length, bytes, lastAt },
    })),
  };
}

/** Kinds of things that run, and how to look whether they do. */
const RUNNING: Readonly<Record<string, (id: string) => Promise<boolean>>> = {
  service: isServiceRunning,
  unit: (id) => isUnitActive(silentContext(), id),
};

/** Where a site stands, from its journal and inventory. */
export async function siteStatus(
  { work, journal, inventory }: OpenSite,
  now = new Date(),
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
  const mirror = await mirrorStatus(work, now);
  return { site: work.site.name, stages, resources, mirror };
}
