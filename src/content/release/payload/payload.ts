import * as z from 'zod';
import type { Context } from '../../../core/context.ts';
import { AtollError } from '../../../core/errors.ts';
import { nearest } from '../../../core/nearest.ts';
import { parseJson } from '../../../core/shape.ts';
import type { Source } from '../../../oci/content.ts';
import type { Descriptor } from '../../../oci/descriptor.ts';
import type { Digest } from '../../../oci/digest.ts';
import { type ImageManifest, isIndex, type RawManifest } from '../../../oci/manifest.ts';
import { ARCHITECTURES, isArchitecture } from '../../../oci/platform.ts';
import type { ReleaseArchitecture } from '../../image-set/image-set.ts';
import { ANY_PLATFORM, chooseImage } from '../../layers/choose-image.ts';
import { readConfig } from '../../layers/image-config.ts';
import { type FileInLayer, readLayerFiles } from '../../layers/layer-files.ts';
import { type Component, parseImageReferences } from './image-references.ts';

const FOLDER = 'release-manifests/';
/** A real payload has about 15 MB of manifests. */
const MAX_BYTES = 256 * 1024 * 1024;

/** What a release image says about itself. */
export interface Payload {
  /** Of what was asked for: the index of a multi-architecture release. */
  readonly digest: Digest;
  readonly version: string;
  readonly architecture: ReleaseArchitecture;
  /** Tag of the release image on a mirror: `4.18.1-x86_64`, `4.18.1-multi`. */
  readonly tag: string;
  readonly created: string | undefined;
  readonly metadata: ReleaseMetadata;
  readonly components: readonly Component[];
  /** Every file under `release-manifests/`, by name. */
  readonly manifests: ReadonlyMap<string, FileInLayer>;
}

export interface ReleaseMetadata {
  readonly version: string;
  /** Versions that can be updated to this one. */
  readonly previous: readonly string[];
  readonly next: readonly string[];
  readonly url: string | undefined;
}

/** Reads a release image: its manifests, without storing anything else of it. */
export async function readPayload(
  ctx: Context,
  source: Source,
  descriptor: Descriptor,
): Promise<Payload> {
  const root = await source.manifest(ctx, descriptor);
  const image = isIndex(root) ? await chooseImage(ctx, source, descriptor, ANY_PLATFORM) : root;
  const inFolder = (path: string) => path.startsWith(FOLDER);
  const files = await readLayerFiles(ctx, source, image, inFolder, { maxBytes: MAX_BYTES });
  const manifests = new Map(
    [...files].map(([path, file]) => [path.slice(FOLDER.length), file] as const),
  );
  const shown = descriptor.digest;
  const references = parseImageReferences(textOf(manifests, 'image-references', shown), shown);
  const metadata = parseMetadata(textOf(manifests, 'release-metadata', shown), shown);
  const architecture = await architectureOf(ctx, source, root, image);
  return {
    digest: descriptor.digest,
    version: references.name,
    architecture,
    tag: releaseTag(references.name, architecture),
    created: references.created,
    metadata,
    components: references.components,
    manifests,
  };
}

/** `4.18.1` for amd64 is tagged `4.18.1-x86_64`, as upstream does. */
function releaseTag(version: string, architecture: ReleaseArchitecture): string {
  const suffix = isArchitecture(architecture) ? ARCHITECTURES[architecture] : 'multi';
  // A version may have "+" for build metadata, which no tag can.
  return `${version.replaceAll('+', '_')}-${suffix}`;
}

async function architectureOf(
  ctx: Context,
  source: Source,
  root: RawManifest,
  image: RawManifest,
): Promise<ReleaseArchitecture> {
  if (isIndex(root)) return 'multi';
  const { architecture } = await readConfig(ctx, source, image.content as ImageManifest);
  if (isArchitecture(architecture)) return architecture;
  throw new AtollError(
    'PAYLOAD_INVALID',
    `Cannot use release ${root.descriptor.digest}: it is for "${architecture}"`,
  );
}

/** A component by name; a misspelled one is an error that names the nearest. */
export function componentOf(payload: Payload, name: string): Component {
  const found = payload.components.find((component) => component.name === name);
  if (found) return found;
  const near = nearest(
    name,
    payload.components.map((component) => component.name),
  );
  throw new AtollError(
    'INPUT_INVALID',
    `Cannot find component "${name}" in release ${payload.version}`,
    {
      hint: near ? `Did you mean "${near}"?` : 'Run "atoll release images REF" for all names',
    },
  );
}

function textOf(manifests: ReadonlyMap<string, FileInLayer>, name: string, shown: string): string {
  const file = manifests.get(name);
  if (file) return Buffer.from(file.bytes).toString('utf8');
  throw new AtollError('PAYLOAD_INVALID', `Cannot read ${shown}: it has no ${FOLDER}${name}`, {
    hint: 'Name a release image, such as quay.io/openshift-release-dev/ocp-release:4.18.1-x86_64',
  });
}

const metadataSchema = z.looseObject({
  kind: z.literal('cincinnati-metadata-v0'),
  version: z.string(),
  previous: z.array(z.string()).nullish(),
  next: z.array(z.string()).nullish(),
  metadata: z.record(z.string(), z.unknown()).nullish(),
});

function parseMetadata(text: string, shown: string): ReleaseMetadata {
  const parsed = metadataSchema.safeParse(parseJson(text));
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    throw new AtollError(
      'PAYLOAD_INVALID',
      `Cannot read release-metadata of ${shown}: ${issue?.path.join('.')}: ${issue?.message}`,
    );
  }
  const { version, previous, next, metadata } = parsed.data;
  const url = typeof metadata?.url === 'string' ? metadata.url : undefined;
  return { version, previous: previous ?? [], next: next ?? [], url };
}
