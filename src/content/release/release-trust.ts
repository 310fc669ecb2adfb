import semver from 'semver';
import type { Context } from '../../core/context.ts';
import { AtollError, messageOf } from '../../core/errors.ts';
import type { Source } from '../../oci/content.ts';
import type { Descriptor, Platform } from '../../oci/descriptor.ts';
import type { Digest } from '../../oci/digest.ts';
import { isIndexType } from '../../oci/media-types.ts';
import { selectPlatforms } from '../../oci/platform.ts';
import type { Reference } from '../../oci/reference.ts';
import { knows } from '../../openshift/features.ts';
import type { CollectDeps } from '../collecting.ts';
import { SIGNATURE_STORES, type VerifiedSignature, verifyRelease } from './signatures/gpg.ts';
import { loadReleaseKeys } from './signatures/release-keys.ts';
import { findSigstore, sigstoreTag, verifySigstore } from './signatures/sigstore.ts';
import { findBundles, verifyBundles } from './signatures/sigstore-bundle.ts';

/** The signature of a release; undefined, with a loud warning, where the user chose to do without. */
export async function trustRelease(
  ctx: Context,
  { reference, digest }: { readonly reference: Reference | undefined; readonly digest: Digest },
  deps: CollectDeps,
): Promise<VerifiedSignature | undefined> {
  const keys = deps.releaseKeys ?? (await loadReleaseKeys());
  const given = deps.signatureStores?.length ? deps.signatureStores : SIGNATURE_STORES;
  const lookaside = reference && (await deps.lookaside?.(reference));
  const stores = lookaside ? [lookaside, ...given] : given;
  try {
    return await verifyRelease(ctx, digest, { web: deps.web, keys, stores });
  } catch (error) {
    if (!deps.ignoreReleaseSignature || ctx.signal.aborted) throw error;
    ctx.emit({
      type: 'warning.raised',
      message: `THE RELEASE IS NOT VERIFIED: ${messageOf(error)}`,
      hint: 'Leave out --ignore-release-signature to insist on a valid signature',
      subject: digest,
    });
    return undefined;
  }
}

/** Whether the cluster will insist on a Sigstore signature of this release. */
export function needsSigstore({ repository }: Reference, version: string): boolean {
  const parsed = semver.parse(version);
  if (!parsed || !/(^|\/)ocp-release$/.test(repository)) return false;
  return knows(parsed, 'sigstoreRequired');
}

export interface SigstoreSubject {
  readonly source: Source;
  readonly descriptor: Descriptor;
  readonly platforms: readonly Platform[] | undefined;
}

/**
 * Finds, and with a key verifies, the Sigstore signature of a release image. Of an index either it or each
 * of its images is signed. Throws when one is missing or wrong.
 */
export async function checkSigstore(
  ctx: Context,
  { source, descriptor, platforms }: SigstoreSubject,
  key: CollectDeps['sigstoreKey'],
): Promise<SignatureForm> {
  const formOf = async ({ digest }: Descriptor): Promise<SignatureForm | undefined> => {
    const tagged = key
      ? await verifySigstore(ctx, source, digest, key)
      : await findSigstore(ctx, source, digest);
    if (tagged !== undefined) return 'attached';
    const isBundled = key
      ? await verifyBundles(ctx, source, digest, key)
      : (await findBundles(ctx, source, digest)).length > 0;
    return isBundled ? 'bundle' : undefined;
  };
  const own = await formOf(descriptor);
  if (own) return own;
  if (!isIndexType(descriptor.mediaType)) throw unsigned(descriptor);
  const { children } = await source.manifest(ctx, descriptor);
  const forms: SignatureForm[] = [];
  for (const child of platforms ? selectPlatforms(children, platforms) : children) {
    const form = await formOf(child);
    if (!form) throw unsigned(child);
    forms.push(form);
  }
  return forms.includes('bundle') ? 'bundle' : 'attached';
}

/** How an image is signed: beside it under a tag, which nodes read, or as a bundle of cosign 3, which they do not. */
type SignatureForm = 'attached' | 'bundle';

/**
 * What every flow does about the Sigstore signature of a release. Throws where the cluster insists on one, and
 * where a key says that it is wrong; otherwise answers what to warn of.
 */
export async function trustSigstore(
  ctx: Context,
  subject: SigstoreSubject,
  release: { readonly reference: Reference | undefined; readonly version: string },
  key: CollectDeps['sigstoreKey'],
): Promise<string | undefined> {
  const isRequired =
    release.reference !== undefined && needsSigstore(release.reference, release.version);
  try {
    const form = await checkSigstore(ctx, subject, key);
    if (form === 'bundle' && isRequired) throw unreadable(subject.descriptor);
    return undefined;
  } catch (error) {
    ctx.signal.throwIfAborted();
    const isWrong = error instanceof AtollError && error.code === 'SIGNATURE_INVALID';
    if (isRequired || (key !== undefined && isWrong)) throw error;
    return messageOf(error);
  }
}

function unreadable({ digest }: Descriptor): AtollError {
  return new AtollError(
    'SIGNATURE_MISSING',
    `Cannot use the Sigstore signature of ${digest}: it is a bundle of cosign 3`,
    {
      hint: `Nodes read only the tag ${sigstoreTag(digest)}: mirror from a place that has it`,
      details: { digest },
    },
  );
}

function unsigned({ digest }: Descriptor): AtollError {
  return new AtollError(
    'SIGNATURE_MISSING',
    `Cannot find the Sigstore signature of ${digest}: there is no tag ${sigstoreTag(digest)}`,
    {
      hint: 'From 4.21 on nodes do not start a release without it: mirror from a place that has it',
      details: { digest },
    },
  );
}
