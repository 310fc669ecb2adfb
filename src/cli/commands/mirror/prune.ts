import { resolve } from 'node:path';
import { withCluster } from '../../../cluster/connect.ts';
import { runningImages } from '../../../cluster/running-images.ts';
import { readImageSet } from '../../../content/image-set/parse-image-set.ts';
import type { Context } from '../../../core/context.ts';
import { AtollError } from '../../../core/errors.ts';
import { counted, formatBytes } from '../../../core/format.ts';
import { parseDestination } from '../../../mirror/destination.ts';
import { collectPlaced } from '../../../mirror/flow/collect-content.ts';
import { writeDeleteList } from '../../../mirror/flow/delete/delete-list.ts';
import { type DeleteResult, executeDelete } from '../../../mirror/flow/delete/execute-delete.ts';
import { targetsOf } from '../../../mirror/flow/delete/plan-delete.ts';
import {
  lastWanted,
  type PrunePlan,
  planPrune,
  wantedOf,
} from '../../../mirror/flow/delete/plan-prune.ts';
import { WorkingDir } from '../../../mirror/flow/working-dir.ts';
import { collectRegistry } from '../../../registry/upkeep/gc.ts';
import { defineCommand, type Style, type Terminal } from '../../command.ts';
import { number, onOff, text, texts } from '../../flags.ts';
import { COLLECT_OPTIONS, MIRROR_OPTIONS, withMirrorTools } from '../../mirror-options.ts';
import { REGISTRY_OPTIONS } from '../../registry-options.ts';
import { openStore, readFolder } from '../registry/image-registry-folder.ts';
import { imageSetWith } from './image-set-option.ts';

const MINUTE_MS = 60_000;

interface PruneOutcome {
  readonly images: readonly string[];
  /** Releases that go whole, by their tags. */
  readonly releases: readonly string[];
  /** Kept for a running cluster alone. */
  readonly inUse: number;
  readonly freedBytes: number;
  readonly listFile?: string;
  readonly result?: DeleteResult;
  /** Bytes that are free again, where the registry's garbage was collected. */
  readonly collectedBytes?: number;
}

export const mirrorPruneCommand = defineCommand({
  name: 'mirror prune',
  summary: 'Bring a mirror down to what its image set says: first a list, then --execute',
  description:
    'What the image set asks for now stays, and the newest releases that --keep-releases says; with --kubeconfig also all that a running cluster uses, with the rest of its release and of its operators. Without -c, inside, what the last sync or load brought counts as wanted. Nothing goes while it is not all known what is wanted.',
  options: {
    config: text('FILE', 'ImageSetConfiguration; without it the last sync or load counts', {
      short: 'c',
    }),
    at: text('docker://HOST[/PATH]', 'The mirror', { required: true }),
    keepReleases: number('N', 'So many newest releases of each minor version stay', { default: 0 }),
    kubeconfig: texts('FILE', 'Cluster whose images stay; may be repeated'),
    execute: onOff('Remove it'),
    gc: text('DIR', 'Folder of the embedded registry on this machine: give its space back at once'),
    gcGrace: number('MINUTES', 'Content younger than this stays: somebody may be pushing', {
      default: 60,
    }),
    dir: MIRROR_OPTIONS.dir,
    maxNestedPaths: MIRROR_OPTIONS.maxNestedPaths,
    icsp: MIRROR_OPTIONS.icsp,
    ...REGISTRY_OPTIONS,
    ...COLLECT_OPTIONS,
  },
  examples: {
    'atoll mirror prune -c imageset.yaml --at docker://mirror.example.com:5000/ocp --keep-releases 2':
      'what would go',
    'atoll mirror prune --at docker://mirror.example.com:5000/ocp --kubeconfig auth/kubeconfig --execute --gc /var/lib/atoll/registry':
      'inside, after a load: never what the cluster needs, and the space is free at once',
  },
  async run(ctx, { options, terminal }): Promise<PruneOutcome> {
    const destination = parseDestination(options.at, options.maxNestedPaths);
    const workingDir = new WorkingDir(resolve(options.dir));
    return withMirrorTools(options, terminal, async (tools) => {
      const { config, keepReleases } = options;
      const imageSet = config && imageSetWith(await readImageSet(resolve(config)), options);
      const wanted = imageSet
        ? wantedOf(await collectPlaced(ctx, { imageSet, destination, ...tools }))
        : await lastWanted(workingDir);
      const running = await inUseBy(ctx, options.kubeconfig, terminal);
      const common = { workingDir, registries: tools.registries, destination };
      return await workingDir.exclusively(ctx, async () => {
        const plan = await planPrune(ctx, { ...common, wanted, keepReleases, running });
        const { freedBytes, inUse } = plan;
        const planned = { images: targetsOf(plan), releases: releasesOf(plan), inUse, freedBytes };
        if (!options.execute)
          return { ...planned, listFile: await writeDeleteList(workingDir, plan) };
        const question = `Remove ${counted(plan.deleted.length, 'image')} from ${options.at}?`;
        if (plan.deleted.length > 0 && !(await terminal.confirm(question)))
          throw new AtollError('INTERRUPTED', 'Nothing was removed');
        const result = await executeDelete(ctx, plan, { ...common, icsp: options.icsp });
        return { ...planned, result, ...(await collected(ctx, options)) };
      });
    });
  },
  text: pruneText,
  exitCode: ({ result }) => (result && result.failures.length > 0 ? 7 : 0),
});

/** Every cluster has to answer: one that does not may run anything. */
async function inUseBy(
  ctx: Context,
  kubeconfigs: readonly string[],
  { env }: Terminal,
): Promise<ReadonlySet<string>> {
  if (kubeconfigs.length === 0) {
    ctx.emit({
      type: 'warning.raised',
      message: 'No cluster was asked what it uses',
      hint: 'Name its kubeconfig with --kubeconfig, and nothing that it runs goes',
    });
  }
  const running = await Promise.all(
    kubeconfigs.map((kubeconfig) =>
      withCluster(ctx, { kubeconfig, env }, (resources) => runningImages(ctx, resources)),
    ),
  );
  return new Set(running.flatMap((digests) => [...digests]));
}

async function collected(
  ctx: Context,
  { gc, gcGrace }: { readonly gc?: string | undefined; readonly gcGrace: number },
): Promise<Pick<PruneOutcome, 'collectedBytes'>> {
  if (gc === undefined) return {};
  const store = await openStore(await readFolder({ dir: gc, config: undefined }));
  const { freedBytes } = await collectRegistry(ctx, store, { graceMs: gcGrace * MINUTE_MS });
  return { collectedBytes: freedBytes };
}

const releasesOf = ({ deleted }: PrunePlan): string[] =>
  deleted.flatMap(({ image: { image } }) =>
    image.kind === 'release' ? (image.release?.tag ?? []) : [],
  );

function pruneText(outcome: PruneOutcome, style: Style): string {
  const { images, releases, inUse, freedBytes, listFile, result, collectedBytes } = outcome;
  const gone = releases.map((tag) => `${style.bold('release')} ${tag}`);
  const used = inUse > 0 ? `, ${inUse} stay because a cluster needs them` : '';
  if (!result)
    return [
      `${style.bold(counted(images.length, 'image'))} would go${used}`,
      ...gone,
      `${formatBytes(freedBytes)} would be free after the registry collected its garbage`,
      `${style.dim('list')} ${listFile}`,
      'next: look at it, then run the same command with --execute',
    ].join('\n');
  return [
    `${style.bold(counted(result.deleted.length, 'image'))} removed${used}`,
    ...gone,
    ...result.failures.map(({ target, message }) => `${style.red('failed')} ${target}: ${message}`),
    collectedBytes === undefined
      ? `${formatBytes(result.freedBytes)} are free after the registry collects its garbage`
      : `${formatBytes(collectedBytes)} are free again`,
  ].join('\n');
}
