import { silentContext } from '../core/context.ts';
import type { SiteResource } from '../platform/platform.ts';
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
}

/** Kinds of things that run, and how to look whether they do. */
const RUNNING: Readonly<Record<string, (id: string) => Promise<boolean>>> = {
  service: isServiceRunning,
  unit: (id) => isUnitActive(silentContext(), id),
};

/** Where a site stands, from its journal and inventory. */
export async function siteStatus({ work, journal, inventory }: OpenSite): Promise<SiteStatus> {
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
  return { site: work.site.name, stages, resources };
}
