import type { Context } from '../../core/context.ts';
import { AtollError } from '../../core/errors.ts';
import type { Source } from '../../oci/content.ts';
import type { Descriptor } from '../../oci/descriptor.ts';
import { type Reference, referenceIfValid } from '../../oci/reference.ts';
import type { ReleaseArchitecture } from '../image-set/image-set.ts';
import type { GraphSource } from './graph/graph-source.ts';
import { type Payload, readPayload } from './payload/payload.ts';

/** A source that may say where it found things: `host/repository`. */
export type PlacedSource = Source & { readonly endpoint?: string | undefined };

/** Where a release image is to be read. */
export interface ReleasePlace {
  /** The name it goes by; undefined for a folder without names. */
  readonly reference: Reference | undefined;
  readonly source: PlacedSource;
  readonly tagOrDigest: string;
  /** Text for messages. */
  readonly shown: string;
}

export interface OpenRelease {
  readonly place: ReleasePlace;
  readonly descriptor: Descriptor;
  readonly payload: Payload;
  /** The release image by digest, under the name that was given. */
  readonly pullSpec: string | undefined;
}

export async function openRelease(ctx: Context, place: ReleasePlace): Promise<OpenRelease> {
  const descriptor = await place.source.resolve(ctx, place.tagOrDigest);
  if (!descriptor) {
    throw new AtollError('IMAGE_UNKNOWN', `Cannot find the release image ${place.shown}`, {
      hint: 'Check the reference, and the mirrors in registries.conf',
    });
  }
  const payload = await readPayload(ctx, place.source, descriptor);
  const { reference } = place;
  const pullSpec =
    reference && `${reference.registry}/${reference.repository}@${descriptor.digest}`;
  return { place, descriptor, payload, pullSpec };
}

const VERSION = /^(?<major>\d+)\.(?<minor>\d+)\.\d+(?:[-+].+)?$/;

/** Where a name of an image is wanted, a minor version or a channel would be taken for one of Docker Hub. */
export function refusePartOfVersion(text: string): void {
  const minor = /^(?:[a-z]+-|v)?(?<minor>\d+\.\d+)$/.exec(text)?.groups?.minor;
  if (minor === undefined) return;
  throw new AtollError('INPUT_INVALID', `Cannot tell which release "${text}" is`, {
    hint: `Write all of its version, such as ${minor}.1; "atoll list releases --version ${minor}" shows them`,
  });
}

export const isBareVersion = (text: string): boolean => VERSION.test(text);

/** The release image of a bare version, asked of the channels in which it could be. */
export async function findVersion(
  ctx: Context,
  version: string,
  architecture: ReleaseArchitecture,
  graphs: GraphSource,
): Promise<Reference> {
  const { major, minor } = VERSION.exec(version)?.groups ?? {};
  const tried: string[] = [];
  let trouble: unknown;
  for (const prefix of ['fast', 'stable', 'candidate']) {
    const channel = `${prefix}-${major}.${minor}`;
    tried.push(channel);
    try {
      const graph = await graphs.graph(ctx, { channel, architecture, type: 'ocp' });
      const found = graph.nodes.find((node) => node.version === version);
      if (found) return found.payload;
    } catch (error) {
      ctx.signal.throwIfAborted();
      trouble = error;
    }
  }
  if (trouble instanceof AtollError && trouble.code !== 'INPUT_INVALID') throw trouble;
  throw new AtollError(
    'INPUT_INVALID',
    `Cannot find release ${version} for ${architecture} in ${tried.join(', ')}`,
    { hint: 'Name the release image instead, or another graph with --graph', cause: trouble },
  );
}

/** A name in a layout is often the reference the image had. */
export function referenceOf(name: string | undefined): Reference | undefined {
  return name?.includes('/') ? referenceIfValid(name) : undefined;
}
