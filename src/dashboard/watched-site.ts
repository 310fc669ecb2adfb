import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { KubeObject } from '../cluster/api/object.ts';
import type { Context } from '../core/context.ts';
import { isLocked } from '../core/lock.ts';
import type { Host } from '../host/host.ts';
import { machinesOf } from '../lab/lab-paths.ts';
import { journalsOf, recordsOf } from '../lab/node/node-journal.ts';
import type { OpenPlatform } from '../platform/platform.ts';
import { bastionPlace, isElsewhere } from '../site/bastion/bastion-place.ts';
import { hasMirror, mirrorHost } from '../site/mirror-place.ts';
import { openPlatform } from '../site/open-site.ts';
import type { Site } from '../site/read-site.ts';
import { sitePaths } from '../site/site-paths.ts';
import { STAGES } from '../site/stages/index.ts';
import { registerSecrets } from '../site/stages/secrets.ts';
import type { NodeRow, PageData, SiteFacts } from './model/page-data.ts';
import type { StageName } from './model/run-state.ts';
import { readBootstrap } from './sections/bootstrap.ts';
import { ClusterWatch } from './sections/cluster.ts';
import { readConfig, siteFiles } from './sections/config.ts';
import { readFindings } from './sections/findings.ts';
import { readImages } from './sections/images.ts';
import { MirrorWatch } from './sections/mirror.ts';
import { localMirror, type MirrorFolder } from './sections/mirror-folder.ts';
import { NodePulls } from './sections/nodes.ts';
import { readRehearsal, rehearsalFindings } from './sections/rehearsal.ts';
import { remoteMirror } from './sections/remote-mirror.ts';
import { PastRuns, pastSections } from './sections/runs.ts';
import type { Sections, Watched } from './watched.ts';

const stageNames = (): readonly StageName[] => STAGES.map(({ id }) => ({ id, title: id }));

/** A site that is looked at while others work on it. Nothing in it is changed. */
export function watchedSite(site: Site): Watched {
  const paths = sitePaths(site);
  const sources = new Sources(site);
  return {
    facts: factsOf(site),
    runs: paths.runs,
    stages: stageNames(),
    keyFile: join(site.state, 'secrets', 'dashboard.key'),
    isWorkedOn: () => isLocked(paths.lock),
    registerSecrets: () => registerSecrets(paths),
    sections: (ctx, page) => sectionsOf(ctx, site, sources, page),
    close: () => sources.close(),
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
    mirror: hasMirror(site) ? mirrorHost(site) : 'none',
    remarks: flow,
    simulated,
    real,
  };
}

/** What is read once and shown in several sections. */
class Sources {
  readonly past: PastRuns;
  readonly mirror: MirrorWatch | undefined;
  readonly cluster = new ClusterWatch();
  objects: readonly KubeObject[] = [];
  readonly #folder: MirrorFolder;
  readonly #site: Site;
  #nodes: NodePulls | undefined;
  #platform: Promise<OpenPlatform | undefined> | undefined;
  #bastion: Promise<Host> | undefined;

  constructor(site: Site) {
    this.#site = site;
    this.past = new PastRuns(sitePaths(site).runs, stageNames());
    this.#folder = isElsewhere(site)
      ? remoteMirror((ctx) => this.#openBastion(ctx), bastionPlace(site).paths.registry)
      : localMirror(sitePaths(site));
    // The registry of somebody else has no log that we may read.
    if (site.registry.type === 'embedded')
      this.mirror = new MirrorWatch(mirrorHost(site), this.#folder);
  }

  /** One that is not built knows no machines, and installs nothing. */
  platform(): Promise<OpenPlatform | undefined> {
    this.#platform ??= openPlatform(this.#site).catch(() => undefined);
    return this.#platform;
  }

  /** Undefined where the mirror is not ours and nobody knows who pulls from it. */
  async nodes(ctx: Context, page: PageData): Promise<readonly NodeRow[] | undefined> {
    if (!this.mirror) return undefined;
    const platform = await this.platform();
    this.#nodes ??= new NodePulls(platform?.machines ?? []);
    const entries = await this.#folder.newRequests(ctx);
    this.mirror.add(entries);
    const cluster = page.run?.stages.find(({ id }) => id === 'cluster');
    this.#nodes.add(entries, cluster?.startedAt ?? '');
    const states = (await platform?.machineStates?.()) ?? [];
    return this.#nodes.rows(page.images ?? [], states, ctx.now().getTime());
  }

  /** Where logs of an install lie: of one that runs its machines', afterwards what was gathered. */
  async evidence(page: PageData): Promise<readonly string[]> {
    const { state, install } = sitePaths(this.#site);
    const log = (await this.platform())?.installs?.log ?? join(install, '.openshift_install.log');
    const cluster = page.run?.stages.find(({ id }) => id === 'cluster');
    if (cluster?.state !== 'running') return [join(state, 'log-bundle'), log];
    const machines = await readdir(machinesOf(state)).catch(() => []);
    const roots = machines.map((name) => join(machinesOf(state), name));
    return [log, ...roots.flatMap((root) => [journalsOf(root), recordsOf(root)])];
  }

  async close(): Promise<void> {
    const bastion = await this.#bastion?.catch(() => undefined);
    await bastion?.close();
    await (await this.#platform)?.close();
  }

  /** Who looks makes nothing, so there is nothing to claim. */
  #openBastion(ctx: Context): Promise<Host> {
    this.#bastion ??= this.platform().then((platform) => {
      if (!platform) throw new Error('A platform that is not built has no bastion');
      return platform.bastion(ctx, async () => undefined);
    });
    this.#bastion.catch(() => {
      this.#bastion = undefined;
    });
    return this.#bastion;
  }
}

function sectionsOf(ctx: Context, site: Site, sources: Sources, page: () => PageData): Sections {
  const paths = sitePaths(site);
  return {
    ...pastSections(sources.past, page),
    images: { everyMs: 1500, read: () => readImages(paths.mirror) },
    nodes: { everyMs: 800, read: () => sources.nodes(ctx, page()) },
    mirror: { everyMs: 1500, read: async () => sources.mirror?.read(ctx) },
    rehearsal: { everyMs: 2000, read: () => readRehearsal(paths.state) },
    bootstrap: {
      everyMs: 2500,
      read: async () => {
        const { bootstrap, objects } = await readBootstrap(ctx, await sources.evidence(page()));
        sources.objects = objects;
        return bootstrap;
      },
    },
    cluster: {
      everyMs: 5000,
      read: async () => {
        const kubeconfig = (await sources.platform())?.installs?.kubeconfig;
        return await sources.cluster.read(ctx, kubeconfig, sources.objects);
      },
    },
    findings: {
      everyMs: 4000,
      read: async () => {
        const found = await readFindings(ctx, await sources.evidence(page()));
        const holes = rehearsalFindings(page().rehearsal);
        return found || holes.length > 0 ? [...holes, ...(found ?? [])] : undefined;
      },
    },
    config: {
      everyMs: 4000,
      read: async () => readConfig(await siteFiles(site), paths.runs, page().run?.run),
    },
  };
}
