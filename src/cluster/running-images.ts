import * as z from 'zod';
import type { Context } from '../core/context.ts';
import { isObject } from '../core/shape.ts';
import { KINDS, kind } from './api/kinds.ts';
import type { Kind, Resources } from './api/resources.ts';

const versionSchema = z.object({
  spec: z.object({ desiredUpdate: z.object({ image: z.string().default('') }).optional() }),
  status: z.object({
    desired: z.object({ image: z.string().default('') }).default({ image: '' }),
    history: z.array(z.object({ image: z.string().default('') })).default([]),
  }),
});

/** The release a cluster runs, the one it comes from, and one it may be on the way to. */
const RELEASES_BACK = 3;

/** Objects from which images are pulled now or at any later moment: a job at night, a workload of no replicas. */
const PULLING: readonly Kind[] = [
  KINDS.pod,
  kind('v1', 'ReplicationController'),
  kind('apps/v1', 'Deployment'),
  kind('apps/v1', 'DaemonSet'),
  kind('apps/v1', 'StatefulSet'),
  kind('batch/v1', 'CronJob'),
  kind('batch/v1', 'Job'),
  kind('apps.openshift.io/v1', 'DeploymentConfig'),
  KINDS.machineConfig,
  KINDS.pinnedImageSet,
  KINDS.catalogSource,
  KINDS.clusterCatalog,
  KINDS.updateService,
];

/** Fields of these objects whose text is the name of an image. */
const IMAGE_FIELDS: ReadonlySet<string> = new Set([
  ...['image', 'imageID', 'ref', 'osImageURL', 'baseOSExtensionsContainerImage', 'graphDataImage'],
]);

/** Names, with tag or digest, of what a cluster runs or needs to go on: workloads, its releases, the systems of its nodes, catalogs. */
export async function runningImages(
  ctx: Context,
  resources: Resources,
): Promise<ReadonlySet<string>> {
  const list = async (each: Kind) => (await resources.list(ctx, each)).objects;
  const names = new Set<string>();
  for (const each of PULLING)
    for (const { spec, status } of await list(each))
      for (const name of imagesIn([spec, status])) names.add(name);
  for (const object of await list(KINDS.clusterVersion)) {
    const { spec, status } = versionSchema.parse(object);
    const releases = [
      spec.desiredUpdate,
      status.desired,
      ...status.history.slice(0, RELEASES_BACK),
    ];
    for (const release of releases) if (release?.image) names.add(release.image);
  }
  return names;
}

function* imagesIn(value: unknown, isPinned = false): Generator<string> {
  if (Array.isArray(value)) for (const each of value) yield* imagesIn(each, isPinned);
  if (!isObject(value)) return;
  for (const [field, each] of Object.entries(value)) {
    const isName = IMAGE_FIELDS.has(field) || (isPinned && field === 'name');
    if (isName && typeof each === 'string' && each !== '') yield each;
    yield* imagesIn(each, field === 'pinnedImages');
  }
}
