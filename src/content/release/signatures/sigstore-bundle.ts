import { type KeyObject, verify } from 'node:crypto';
import * as z from 'zod';
import type { Context } from '../../../core/context.ts';
import { parseJson } from '../../../core/shape.ts';
import type { Source } from '../../../oci/content.ts';
import type { Descriptor } from '../../../oci/descriptor.ts';
import { type Digest, splitDigest } from '../../../oci/digest.ts';
import { isImage } from '../../../oci/manifest.ts';
import { readSmallBlob } from '../../layers/image-config.ts';
import { rejected } from './simple-signing.ts';

// What cosign writes from version 3 on: a manifest that refers to the image, found by the referrers of the image
// (the API, or the list under its tag), with one layer that is a bundle: a signed statement about digests.

const BUNDLE =
  /^application\/vnd\.dev\.sigstore\.bundle(?:\.v\d[\d.]*\+json|\+json;version=[\d.]+)$/;
const STATEMENT = 'application/vnd.in-toto+json';
const MAX_BUNDLE_BYTES = 1024 * 1024;

const bundleSchema = z.looseObject({
  dsseEnvelope: z
    .looseObject({
      payload: z.string(),
      payloadType: z.string(),
      signatures: z.array(z.looseObject({ sig: z.string() })).min(1),
    })
    .optional(),
  messageSignature: z
    .looseObject({
      messageDigest: z.looseObject({ algorithm: z.string(), digest: z.string() }),
      signature: z.string(),
    })
    .optional(),
});
type Bundle = z.output<typeof bundleSchema>;

const statementSchema = z.looseObject({
  subject: z.array(z.looseObject({ digest: z.record(z.string(), z.string()) })),
});

/** Bundles that say they are about this image. */
export async function findBundles(
  ctx: Context,
  source: Source,
  digest: Digest,
): Promise<readonly Descriptor[]> {
  const referrers = (await source.can.referrers?.(ctx, digest)) ?? [];
  return referrers.filter(({ artifactType }) => BUNDLE.test(artifactType ?? ''));
}

/** Verifies that one bundle of the image was made with this key for this very digest; false without any. */
export async function verifyBundles(
  ctx: Context,
  source: Source,
  digest: Digest,
  key: KeyObject,
): Promise<boolean> {
  const bundles = await findBundles(ctx, source, digest);
  let wrong: unknown;
  for (const descriptor of bundles) {
    try {
      verifyBundle(await readBundle(ctx, source, descriptor, digest), digest, key);
      return true;
    } catch (error) {
      ctx.signal.throwIfAborted();
      wrong ??= error;
    }
  }
  if (wrong !== undefined) throw wrong;
  return false;
}

async function readBundle(
  ctx: Context,
  source: Source,
  descriptor: Descriptor,
  digest: Digest,
): Promise<Bundle> {
  const manifest = await source.manifest(ctx, descriptor);
  const [layer] = isImage(manifest) ? manifest.content.layers : [];
  if (!layer || !BUNDLE.test(layer.mediaType)) throw rejected(digest, 'the bundle is empty');
  const bytes = await readSmallBlob(ctx, source, layer, MAX_BUNDLE_BYTES);
  const parsed = bundleSchema.safeParse(parseJson(Buffer.from(bytes).toString('utf8')));
  if (parsed.success) return parsed.data;
  throw rejected(digest, 'the bundle cannot be read');
}

function verifyBundle(bundle: Bundle, digest: Digest, key: KeyObject): void {
  const { dsseEnvelope, messageSignature } = bundle;
  // A bare signature over a message names no image: what was signed is not here to be looked at.
  if (!dsseEnvelope)
    throw rejected(
      digest,
      `the bundle holds ${messageSignature ? 'a bare signature' : 'nothing signed'}`,
    );
  const payload = Buffer.from(dsseEnvelope.payload, 'base64');
  const signed = preAuthenticated(dsseEnvelope.payloadType, payload);
  const algorithm = key.asymmetricKeyType === 'ed25519' ? null : 'sha256';
  const isOurs = dsseEnvelope.signatures.some(({ sig }) =>
    verify(algorithm, signed, key, Buffer.from(sig, 'base64')),
  );
  if (!isOurs) throw rejected(digest, 'it was not made with this key');
  const statement = statementSchema.safeParse(parseJson(payload.toString('utf8'))).data;
  const { algorithm: name, hex } = splitDigest(digest);
  const isAbout = statement?.subject.some((subject) => subject.digest[name] === hex) ?? false;
  if (dsseEnvelope.payloadType !== STATEMENT || !isAbout)
    throw rejected(digest, 'it was made for another image');
}

/** What an envelope signs: its type and its payload, each with its length in front. */
function preAuthenticated(type: string, payload: Buffer): Buffer {
  const head = `DSSEv1 ${Buffer.byteLength(type)} ${type} ${payload.length} `;
  return Buffer.concat([Buffer.from(head), payload]);
}
