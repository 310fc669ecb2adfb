import { join } from 'node:path';
import { readAsset } from '../../core/assets.ts';
import type { Context } from '../../core/context.ts';
import { redactJson } from '../../core/redact.ts';
import { mirrorHost } from '../../site/mirror-place.ts';
import type { Site } from '../../site/read-site.ts';
import { sitePaths } from '../../site/site-paths.ts';
import { STAGES } from '../../site/stages/index.ts';
import type { PageData, SectionName, SiteFacts } from '../model/page-data.ts';
import type { StageName } from '../model/run-state.ts';
import { readFindings } from './findings.ts';
import { readImages } from './images.ts';
import { PastRuns, usualsOf } from './runs.ts';

export const stageNames = (): readonly StageName[] => STAGES.map(({ id }) => ({ id, title: id }));

export function emptyPage(ctx: Pick<Context, 'now'>, site: Site): PageData {
  return {
    version: readAsset('version.txt').trim(),
    at: ctx.now().toISOString(),
    site: factsOf(site),
    run: undefined,
    usuals: usualsOf([]),
    runs: [],
    images: undefined,
    findings: undefined,
  };
}

function factsOf(site: Site): SiteFacts {
  const { simulated = [], real = [] } = site.platformKind.standsFor ?? {};
  const flow = site.mirror.flow === 'bundle' ? [['flow', 'bundle'] as const] : [];
  return {
    name: site.name,
    platform: site.platformKind.name,
    mode: site.mode,
    release: site.release.version ?? site.release.image ?? '',
    mirror: mirrorHost(site),
    remarks: flow,
    simulated,
    real,
  };
}

interface Section {
  /** At most this often: some take a while to read. */
  readonly everyMs: number;
  readonly read: () => Promise<unknown>;
}

export interface ReadSection {
  readonly name: SectionName;
  readonly value: unknown;
}

/** Reads sections when they are due, and hands out those that are not as they were. */
export interface SectionReaders {
  changed(all: boolean): AsyncGenerator<ReadSection>;
}

/** Where logs of an install lie, as far as they are there. */
const evidenceOf = (state: string): readonly string[] => [join(state, 'log-bundle')];

export function sectionReaders(ctx: Context, site: Site, page: () => PageData): SectionReaders {
  const paths = sitePaths(site);
  const past = new PastRuns(paths.runs, stageNames());
  const sections: Readonly<Partial<Record<SectionName, Section>>> = {
    runs: { everyMs: 2000, read: () => past.read() },
    // The run that is being looked at says nothing about what is usual.
    usuals: {
      everyMs: 2000,
      read: async () => usualsOf((await past.read()).filter(({ run }) => run !== page().run?.run)),
    },
    images: { everyMs: 1500, read: () => readImages(paths.mirror) },
    findings: { everyMs: 4000, read: () => readFindings(ctx, evidenceOf(paths.state)) },
  };
  const due = new Map<string, number>();
  const last = new Map<string, string>();

  async function* changed(all: boolean): AsyncGenerator<ReadSection> {
    for (const [name, { everyMs, read }] of Object.entries(sections)) {
      const started = performance.now();
      if (!all && started < (due.get(name) ?? 0)) continue;
      const value = redactJson(await read().catch(() => undefined));
      // What takes long to read is read seldom.
      due.set(name, performance.now() + Math.max(everyMs, 10 * (performance.now() - started)));
      const text = JSON.stringify(value) ?? '';
      if (last.get(name) === text) continue;
      last.set(name, text);
      yield { name: name as SectionName, value };
    }
  }
  return { changed };
}
