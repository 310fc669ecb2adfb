import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { KubeObject } from '../../cluster/api/object.ts';
import { readAsset } from '../../core/assets.ts';
import type { Context } from '../../core/context.ts';
import { redactJson } from '../../core/redact.ts';
import { machinesOf } from '../../lab/lab-paths.ts';
import { journalsOf, recordsOf } from '../../lab/node/node-journal.ts';
import type { OpenPlatform } from '../../platform/platform.ts';
import { mirrorHost } from '../../site/mirror-place.ts';
import { openPlatform } from '../../site/open-site.ts';
import type { Site } from '../../site/read-site.ts';
import { sitePaths } from '../../site/site-paths.ts';
import { STAGES } from '../../site/stages/index.ts';
import type { NodeRow, PageData, SectionName, SiteFacts } from '../model/page-data.ts';
import type { StageName } from '../model/run-state.ts';
import { AccessFollower } from './access-follower.ts';
import { readBootstrap } from './bootstrap.ts';
import { ClusterWatch } from './cluster.ts';
import { readConfig } from './config.ts';
import { readFindings } from './findings.ts';
import { readImages } from './images.ts';
import { MirrorWatch } from './mirror.ts';
import { NodePulls } from './nodes.ts';
import { readRehearsal, rehearsalFindings } from './rehearsal.ts';
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
    nodes: undefined,
    bootstrap: undefined,
    cluster: undefined,
    mirror: undefined,
    config: undefined,
    rehearsal: undefined,
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

/** Where logs of an install lie: of one that runs its machines', afterwards what was gathered. */
async function evidenceOf(site: Site, page: PageData): Promise<readonly string[]> {
  const { state, install } = sitePaths(site);
  const gathered = [join(state, 'log-bundle'), join(install, '.openshift_install.log')];
  const cluster = page.run?.stages.find(({ id }) => id === 'cluster');
  if (cluster?.state !== 'running') return gathered;
  const machines = await readdir(machinesOf(state)).catch(() => []);
  const roots = machines.map((name) => join(machinesOf(state), name));
  return [...gathered.slice(1), ...roots.flatMap((root) => [journalsOf(root), recordsOf(root)])];
}

/** What is read once and shown in several sections. */
class Sources {
  readonly past: PastRuns;
  readonly mirror: MirrorWatch;
  readonly cluster: ClusterWatch;
  objects: readonly KubeObject[] = [];
  readonly #access: AccessFollower;
  readonly #site: Site;
  #nodes: NodePulls | undefined;
  /** One that is not built knows no machines. */
  #platform: OpenPlatform | undefined;

  constructor(site: Site) {
    const paths = sitePaths(site);
    this.#site = site;
    this.past = new PastRuns(paths.runs, stageNames());
    this.mirror = new MirrorWatch(site);
    this.cluster = new ClusterWatch(paths.install);
    this.#access = new AccessFollower(join(paths.registry, 'access.log'));
  }

  /** Undefined where the mirror is not ours and nobody knows who pulls from it. */
  async nodes(ctx: Context, page: PageData): Promise<readonly NodeRow[] | undefined> {
    if (this.#site.registry.type !== 'embedded') return undefined;
    this.#platform ??= await openPlatform(this.#site).catch(() => undefined);
    this.#nodes ??= new NodePulls(this.#platform?.machines ?? []);
    const entries = await this.#access.read();
    this.mirror.add(entries);
    const cluster = page.run?.stages.find(({ id }) => id === 'cluster');
    this.#nodes.add(entries, cluster?.startedAt ?? '');
    const states = (await this.#platform?.machineStates?.()) ?? [];
    return this.#nodes.rows(page.images ?? [], states, ctx.now().getTime());
  }
}

export function sectionReaders(ctx: Context, site: Site, page: () => PageData): SectionReaders {
  const paths = sitePaths(site);
  const sources = new Sources(site);
  const { past } = sources;
  const sections: Readonly<Partial<Record<SectionName, Section>>> = {
    runs: { everyMs: 2000, read: () => past.read() },
    // The run that is being looked at says nothing about what is usual.
    usuals: {
      everyMs: 2000,
      read: async () => usualsOf((await past.read()).filter(({ run }) => run !== page().run?.run)),
    },
    images: { everyMs: 1500, read: () => readImages(paths.mirror) },
    nodes: { everyMs: 800, read: () => sources.nodes(ctx, page()) },
    mirror: { everyMs: 1500, read: () => sources.mirror.read(ctx) },
    rehearsal: { everyMs: 2000, read: () => readRehearsal(paths.state) },
    bootstrap: {
      everyMs: 2500,
      read: async () => {
        const { bootstrap, objects } = await readBootstrap(ctx, await evidenceOf(site, page()));
        sources.objects = objects;
        return bootstrap;
      },
    },
    cluster: { everyMs: 5000, read: () => sources.cluster.read(ctx, sources.objects) },
    findings: {
      everyMs: 4000,
      read: async () => {
        const found = await readFindings(ctx, await evidenceOf(site, page()));
        const holes = rehearsalFindings(page().rehearsal);
        return found || holes.length > 0 ? [...holes, ...(found ?? [])] : undefined;
      },
    },
    config: { everyMs: 4000, read: () => readConfig(site, page().run?.run) },
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
