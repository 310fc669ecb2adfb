import { readFileSync } from 'node:fs';
import type { Context } from '../../core/context.ts';
import type { OpenPlatform } from '../../platform/platform.ts';
import { hashOf } from '../../workflow/hash.ts';
import type { JsonObject, StepRun } from '../../workflow/step.ts';
import type { SiteInventory } from '../inventory.ts';
import { type Site, sitePath } from '../read-site.ts';
import type { SitePaths } from '../site-paths.ts';

export const STAGE_IDS = [
  'infrastructure',
  'bastion',
  'credentials',
  'tools',
  'registry',
  'images',
  'config',
  'cluster',
  'verify',
  'cleanup',
] as const;

export type StageId = (typeof STAGE_IDS)[number];

export type Env = Readonly<Record<string, string | undefined>>;

/** What every stage works with. */
export interface StageWork {
  readonly site: Site;
  readonly paths: SitePaths;
  readonly platform: OpenPlatform;
  readonly inventory: SiteInventory;
  readonly env: Env;
  /** Said by the operator: nothing has to be rehearsed before machines boot. */
  readonly skipRehearsal?: boolean | undefined;
  /** Whether this run includes a stage; without it, nobody knows. */
  readonly isChosen?: ((stage: StageId) => boolean) | undefined;
}

/** One of the ten stages. It may run alone, again, and after a crash. */
export interface Stage {
  readonly id: StageId;
  readonly needs: readonly StageId[];
  /** The parts of the site file it depends on: a change there makes it run again. */
  readonly inputs: (site: Site) => JsonObject;
  /** What it will do, for people. */
  readonly plan: (work: Pick<StageWork, 'site' | 'platform' | 'paths'>) => readonly string[];
  readonly run: (ctx: Context, work: StageWork, run: StepRun) => Promise<JsonObject>;
  readonly always?: boolean;
}

/** What a file that the site names holds now: a change in it counts like one in the site file. */
export function fingerprint(site: Site, path: string | undefined): string | undefined {
  if (path === undefined) return undefined;
  try {
    return hashOf(readFileSync(sitePath(site, path), 'utf8'));
  } catch {
    // The stage that reads it reports what is wrong with it.
    return undefined;
  }
}

/** Only what is JSON of a part of the site: what hashes are made of. */
export function asJson(value: unknown): JsonObject {
  return JSON.parse(JSON.stringify(value ?? {})) as JsonObject;
}
