import type { KeyObject } from 'node:crypto';
import type { Context } from '../core/context.ts';
import { AtollError } from '../core/errors.ts';
import { by } from '../core/order.ts';
import { mapBounded } from '../core/pool.ts';
import { BlobChecks, type Depth } from './check/blob-checks.ts';
import type { Hole } from './check/hole.ts';
import { type ImageCheck, ImageChecker } from './check/image-checker.ts';
import { findLeaks, type UnblockedSource } from './check/leaks.ts';
import { doorOf } from './check/login-holes.ts';
import { probeHost } from './check/probe-host.ts';
import { findingsOf, type RehearsalFinding } from './findings.ts';
import { collectImages, type ImageInputs, type Unread } from './images/collect-images.ts';
import type { WantedImage } from './images/wanted-image.ts';
import type { NodeConfig } from './node/node-config.ts';
import type { RehearsalNode } from './node/open-node.ts';

export interface RehearsalOptions {
  readonly inputs: ImageInputs;
  readonly depth: Depth;
  /** Sources may be contacted: a private site with a way out. */
  readonly allowUpstream?: boolean | undefined;
  /** Where the network is a closed one made for this, knocking at upstream doors proves nothing. */
  readonly skipLeaks?: boolean | undefined;
  /** Image set to name in commands. */
  readonly imageSet?: string | undefined;
  readonly sigstoreKey?: KeyObject | undefined;
  readonly concurrency?: number | undefined;
}

/** What nodes will meet, as plain JSON. */
export interface Rehearsal {
  readonly clean: boolean;
  readonly findings: readonly RehearsalFinding[];
  readonly images: number;
  /** Images that every node of the right platform could pull. */
  readonly pullable: number;
  readonly blobs: number;
  readonly downloadedBytes: number;
  readonly depth: Depth;
  readonly registries: readonly string[];
  /** Lists that could not be read: what they name was not rehearsed. */
  readonly unread: readonly Unread[];
  /** Things that were not looked at, and why. */
  readonly unchecked: readonly string[];
  /** Upstream hosts no rule blocks, whether they can be reached or not. */
  readonly openSources: readonly string[];
}

export interface FullRehearsal {
  readonly rehearsal: Rehearsal;
  readonly checks: readonly ImageCheck[];
  readonly openSources: readonly UnblockedSource[];
}

const CONCURRENCY = 16;
const TASK = 'rehearse';
const TITLE = 'Rehearse the pulls of the install';

/** Proves, before anything boots, that every image resolves and can be pulled as nodes will do it. */
export async function rehearse(
  ctx: Context,
  node: RehearsalNode,
  options: RehearsalOptions,
): Promise<FullRehearsal> {
  const started = ctx.now().getTime();
  const blobs = new BlobChecks(options.depth);
  const hostHoles = new Map<string, Hole[]>();
  const unchecked = new Set<string>();
  const checker = new ImageChecker(node, {
    blobs,
    hostHoles,
    allowUpstream: options.allowUpstream ?? false,
    imageSet: options.imageSet ?? 'imageset.yaml',
    sigstoreKey: options.sigstoreKey,
    unchecked: (what) => unchecked.add(what),
  });
  await probeHosts(ctx, node, [...node.inside], hostHoles);
  const { images, unread } = await collectImages(ctx, options.inputs, checker);
  if (images.length + unread.length === 0) throw nothingNamed(options.inputs);
  const checks = await checkAll(ctx, node, images, { checker, hostHoles }, options.concurrency);
  const openSources = openSourcesOf(checks);
  const leaks =
    options.skipLeaks || options.allowUpstream ? [] : await findLeaks(ctx, node, openSources);
  const seen = checks.flatMap((check) => check.holes);
  const findings = findingsOf([...unseen([...hostHoles.values()].flat(), seen), ...seen, ...leaks]);
  const rehearsal: Rehearsal = {
    ...blobs.totals,
    clean: isClean(findings, unread),
    findings,
    images: images.length,
    pullable: checks.filter(isPullable).length,
    depth: options.depth,
    registries: [...node.inside].toSorted(),
    unread,
    unchecked: [...unchecked].toSorted(),
    openSources: openSources.map(({ host }) => host),
  };
  const durationMs = ctx.now().getTime() - started;
  ctx.emit({ type: 'task.finished', task: TASK, title: TITLE, durationMs });
  return { rehearsal, checks, openSources };
}

/** All of nothing can be pulled: that must not be taken for a rehearsal. */
function nothingNamed({ reports, manifests, catalogs }: ImageInputs): AtollError {
  const read = [...reports, ...manifests, ...catalogs].map((place) => `"${place}"`);
  return new AtollError(
    'INPUT_INVALID',
    `Cannot rehearse: no image is named in ${read.join(', ') || 'what was given'}`,
    { hint: 'Name others, or an image with --release or --image' },
  );
}

/** Only holes count; what could not be listed is one. */
export function isClean(findings: readonly RehearsalFinding[], unread: readonly Unread[]): boolean {
  return unread.length === 0 && findings.every(({ severity }) => severity === 'warning');
}

/** A registry that nothing is pulled from, or only after another, stops nobody: it is warned of. */
function unseen(hostHoles: readonly Hole[], seen: readonly Hole[]): Hole[] {
  const keyOf = ({ severity, cause, key }: Hole) => `${severity} ${cause} ${key}`;
  const known = new Set(seen.map(keyOf));
  return hostHoles
    .filter((hole) => !known.has(keyOf(hole)))
    .map((hole) => ({ ...hole, severity: 'warning' }));
}

const isPullable = ({ found, holes }: ImageCheck) =>
  found !== undefined && holes.every(({ severity }) => severity === 'warning');

async function probeHosts(
  ctx: Context,
  node: RehearsalNode,
  hosts: readonly string[],
  hostHoles: Map<string, Hole[]>,
): Promise<void> {
  await mapBounded(ctx, CONCURRENCY, hosts, async (host) => {
    hostHoles.set(host, await probeHost(ctx, node, host));
  });
}

/** The first images of each login go alone: a wrong one is not tried a hundred times. */
async function checkAll(
  ctx: Context,
  node: RehearsalNode,
  images: readonly WantedImage[],
  { checker, hostHoles }: { checker: ImageChecker; hostHoles: Map<string, Hole[]> },
  concurrency = CONCURRENCY,
): Promise<ImageCheck[]> {
  const done = new Map<WantedImage, ImageCheck>();
  const totalItems = images.length;
  ctx.emit({ type: 'task.started', task: TASK, title: TITLE, totalItems });
  const check = async (image: WantedImage) => {
    const result = done.get(image) ?? (await checker.check(ctx, image));
    done.set(image, result);
    ctx.emit({ type: 'task.progressed', task: TASK, doneItems: done.size, totalItems });
    return result;
  };
  for (const scouts of scoutsOf(images, checker, node.config)) {
    const denied: (Hole | undefined)[] = [];
    for (const scout of scouts.images) {
      const { holes } = await check(scout);
      denied.push(holes.find((hole) => isLogin(hole) && hole.key === scouts.registry));
    }
    const [first] = denied;
    if (first && !denied.includes(undefined)) {
      const { image: _image, ...hole } = first;
      hostHoles.set(scouts.door, [{ ...hole, severity: 'hole' }]);
    }
  }
  return await mapBounded(ctx, concurrency, images, check);
}

const isLogin = ({ cause }: Hole) => cause === 'credential-absent' || cause === 'credential-wrong';

interface Scouts {
  readonly registry: string;
  readonly door: string;
  readonly images: readonly WantedImage[];
}

/** Of each login at a registry the first images of two repositories. */
function scoutsOf(
  images: readonly WantedImage[],
  checker: ImageChecker,
  config: NodeConfig,
): Scouts[] {
  const byDoor = new Map<string, Map<string, WantedImage>>();
  const registries = new Map<string, string>();
  for (const image of images) {
    const first = checker.route(image).endpoints[0]?.reference;
    if (!first) continue;
    const door = doorOf(config, first);
    const repositories = byDoor.get(door) ?? new Map<string, WantedImage>();
    registries.set(door, first.registry);
    if (repositories.size < 2 && !repositories.has(first.repository)) {
      byDoor.set(door, repositories.set(first.repository, image));
    }
  }
  return [...byDoor].map(([door, found]) => ({
    registry: registries.get(door) ?? '',
    door,
    images: [...found.values()],
  }));
}

function openSourcesOf(checks: readonly ImageCheck[]): UnblockedSource[] {
  const byHost = new Map<string, Set<NonNullable<ImageCheck['route']['rule']>>>();
  for (const { route } of checks) {
    if (route.openSource === undefined) continue;
    const rules = byHost.get(route.openSource) ?? new Set();
    if (route.rule) rules.add(route.rule);
    byHost.set(route.openSource, rules);
  }
  return [...byHost]
    .map(([host, rules]) => ({ host, rules: [...rules] }))
    .toSorted(by(({ host }) => host));
}
