import type { SiteResource } from '../platform/platform.ts';
import type { OpenSite } from './open-site.ts';
import { isServiceRunning } from './service.ts';
import { STAGE_IDS } from './stages/stage.ts';

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
    inventory
      .resources()
      .map(async (resource) =>
        resource.kind === 'service'
          ? { ...resource, running: await isServiceRunning(resource.id) }
          : resource,
      ),
  );
  return { site: work.site.name, stages, resources };
}
