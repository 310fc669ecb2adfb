import * as z from 'zod';
import type { Context } from '../core/context.ts';
import { KINDS } from './api/kinds.ts';
import type { Resources } from './api/resources.ts';
import { podImages } from './verify/provenance.ts';

const versionSchema = z.object({
  status: z.object({
    desired: z.object({ image: z.string().default('') }).default({ image: '' }),
    history: z.array(z.object({ image: z.string().default('') })).default([]),
  }),
});
const machineConfigSchema = z.object({
  spec: z.object({ osImageURL: z.string().default('') }),
});

const DIGEST = /sha256:[0-9a-f]{64}/;
/** The release a cluster runs, the one it comes from, and one it may be on the way to. */
const RELEASES_BACK = 3;

/** Digests of what a cluster runs or needs to go on: containers, its releases, the systems of its nodes. */
export async function runningImages(
  ctx: Context,
  resources: Resources,
): Promise<ReadonlySet<string>> {
  const list = async (kind: (typeof KINDS)[keyof typeof KINDS]) =>
    (await resources.list(ctx, kind)).objects;
  const pods = (await list(KINDS.pod)).flatMap(podImages);
  const releases = (await list(KINDS.clusterVersion)).flatMap((object) => {
    const { desired, history } = versionSchema.parse(object).status;
    return [desired, ...history.slice(0, RELEASES_BACK)].map(({ image }) => image);
  });
  const systems = (await list(KINDS.machineConfig)).flatMap(
    (object) => machineConfigSchema.safeParse(object).data?.spec.osImageURL ?? [],
  );
  const names = [...pods.flatMap(({ image, digest }) => [image, digest]), ...releases, ...systems];
  return new Set(names.flatMap((name) => DIGEST.exec(name)?.[0] ?? []));
}
