import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { type OpenRelease, openRelease } from '../../../content/release/open-release.ts';
import type { Component } from '../../../content/release/payload/image-references.ts';
import { verifySignature } from '../../../content/release/signatures/gpg.ts';
import type { ReleaseKeys } from '../../../content/release/signatures/release-keys.ts';
import type { Context } from '../../../core/context.ts';
import { AtollError } from '../../../core/errors.ts';
import { readText } from '../../../core/files.ts';
import type { Source } from '../../../oci/content.ts';
import type { Digest } from '../../../oci/digest.ts';
import { splitDigest } from '../../../oci/digest.ts';
import type { Reference } from '../../../oci/reference.ts';
import { tagOrDigestOf } from '../../../oci/reference.ts';
import type { Registries } from '../../../remote/registries.ts';
import { OcDir } from './oc-dir.ts';

/** A release to be mirrored, and where its images are read. */
export interface ReleaseOrigin {
  readonly release: OpenRelease;
  readonly componentSource: (component: Component) => Source;
  /** Whether it is on this machine. */
  readonly isLocal: boolean;
}

export async function releaseFromRegistry(
  ctx: Context,
  reference: Reference,
  registries: Registries,
): Promise<ReleaseOrigin> {
  const source = registries.source(reference);
  const shown = `${reference.registry}/${reference.repository}`;
  const place = { reference, source, tagOrDigest: tagOrDigestOf(reference), shown };
  return {
    release: await openRelease(ctx, place),
    componentSource: ({ image }) => registries.source(image),
    isLocal: false,
  };
}

const RELEASE_TAG = /^\d+\.\d+\.\d+\S*-(?:x86_64|aarch64|ppc64le|s390x|multi)$/;

/** A release in a folder of `oc`: by its tag, or the only one there. */
export async function releaseFromDir(
  ctx: Context,
  dir: string,
  repository: string,
  wanted: string | undefined,
): Promise<ReleaseOrigin> {
  const source = new OcDir(dir, repository);
  const tag = wanted ?? (await onlyRelease(source, dir));
  const shown = `${tag} in "${dir}"`;
  const release = await openRelease(ctx, { reference: undefined, source, tagOrDigest: tag, shown });
  return { release, componentSource: () => source, isLocal: true };
}

async function onlyRelease(source: OcDir, dir: string): Promise<string> {
  const tags: string[] = [];
  for await (const tag of source.tags()) if (RELEASE_TAG.test(tag)) tags.push(tag);
  const [only] = tags;
  if (only !== undefined && tags.length === 1) return only;
  throw new AtollError(
    'INPUT_INVALID',
    tags.length === 0
      ? `Cannot find a release in "${dir}"`
      : `Cannot choose one of ${tags.length} releases in "${dir}"`,
    {
      hint:
        tags.length === 0
          ? 'It has no v2/REPOSITORY/manifests/VERSION-ARCH'
          : `Name one with --from: ${tags.join(', ')}`,
    },
  );
}

/** A signature that was verified, and the name it was made for. */
export interface TrustedSignature {
  readonly bytes: Uint8Array;
  readonly identity: string;
}

const configMapSchema = z.object({ binaryData: z.record(z.string(), z.string()) });

/** The valid signature of a release that was carried beside it; undefined when there is none. */
export async function carriedSignature(
  ctx: Context,
  dir: string,
  digest: Digest,
  keys: ReleaseKeys,
): Promise<TrustedSignature | undefined> {
  const folder = join(dir, 'config');
  const names = await readdir(folder).catch(() => []);
  const { algorithm, hex } = splitDigest(digest);
  for (const name of names.filter((each) => /^signature-.*\.json$/.test(each))) {
    for (const [key, base64] of Object.entries(await binaryDataIn(join(folder, name)))) {
      if (!key.startsWith(`${algorithm}-${hex}-`)) continue;
      const bytes = Buffer.from(base64, 'base64');
      const { identity } = await verifySignature(bytes, digest, keys, ctx.now());
      return { bytes, identity };
    }
  }
  return undefined;
}

async function binaryDataIn(path: string): Promise<Readonly<Record<string, string>>> {
  const text = await readText(path);
  try {
    return configMapSchema.parse(JSON.parse(text)).binaryData;
  } catch (cause) {
    throw new AtollError('INPUT_INVALID', `Cannot read the signature in "${path}"`, {
      hint: 'It should be a ConfigMap with binaryData: copy it again, or move it away',
      cause,
    });
  }
}
