import type { KeyObject } from 'node:crypto';
import type { Context } from '../../core/context.ts';
import { AtollError, messageOf } from '../../core/errors.ts';
import { mapBounded } from '../../core/pool.ts';
import {
  type ComponentReach,
  type LocatedComponent,
  locateBeside,
  locateByName,
} from './locate-component.ts';
import type { OpenRelease } from './open-release.ts';
import type { Component } from './payload/image-references.ts';
import { checkSigstore, needsSigstore } from './release-trust.ts';
import { type SignatureTrust, verifyRelease } from './signatures/gpg.ts';

const AT_ONCE = 8;

export interface VerifyOptions {
  readonly trust: SignatureTrust;
  readonly sigstoreKey?: KeyObject | undefined;
  /** Also look for every component, through this. */
  readonly images?: ComponentReach | undefined;
}

export interface ReleaseVerdict {
  readonly version: string;
  readonly digest: string;
  readonly signature: { readonly identity: string; readonly keyId: string; readonly url: string };
  /** `present` when there was no key to verify it with. */
  readonly sigstore: 'verified' | 'present' | 'missing';
  readonly images:
    | {
        readonly found: number;
        readonly missing: readonly string[];
        /** Components with a Sigstore signature; with a key only those it verified. */
        readonly signed: number;
        /** Components whose signature is not to be trusted. */
        readonly wrong: readonly string[];
      }
    | undefined;
}

/**
 * Proves a release: its GPG signature for the digest that was read, its Sigstore signature, and with
 * `images` that every component is there. Throws for what makes it untrustworthy.
 */
export async function verifyOpenRelease(
  ctx: Context,
  release: OpenRelease,
  options: VerifyOptions,
): Promise<ReleaseVerdict> {
  const { version, digest } = release.payload;
  const { identity, keyId, url } = await verifyRelease(ctx, digest, options.trust);
  const sigstore = await sigstoreOf(ctx, release, options.sigstoreKey);
  const images =
    options.images && (await lookForImages(ctx, release, options.images, options.sigstoreKey));
  return { version, digest, signature: { identity, keyId, url }, sigstore, images };
}

async function sigstoreOf(
  ctx: Context,
  { place, descriptor, payload }: OpenRelease,
  key: KeyObject | undefined,
): Promise<ReleaseVerdict['sigstore']> {
  try {
    await checkSigstore(ctx, { source: place.source, descriptor, platforms: undefined }, key);
    return key ? 'verified' : 'present';
  } catch (error) {
    const isMissing = error instanceof AtollError && error.code === 'SIGNATURE_MISSING';
    const isOptional = !place.reference || !needsSigstore(place.reference, payload.version);
    if (!isMissing || !isOptional) throw error;
    ctx.emit({ type: 'warning.raised', message: messageOf(error), subject: payload.tag });
    return 'missing';
  }
}

/** A mirror that has any of them has to have them all; else their own names are followed. */
async function lookForImages(
  ctx: Context,
  release: OpenRelease,
  reach: ComponentReach,
  key: KeyObject | undefined,
) {
  const { components } = release.payload;
  const beside = await mapBounded(ctx, AT_ONCE, components, (component) =>
    locateBeside(ctx, release, component, reach),
  );
  const isMirror = beside.some((found) => found !== undefined);
  const found = isMirror
    ? beside
    : await mapBounded(ctx, AT_ONCE, components, (component) =>
        locateIfThere(ctx, component, reach),
      );
  const missing = components.filter((_, index) => !found[index]).map(({ name }) => name);
  const signatures = await mapBounded(ctx, AT_ONCE, found, async (each) =>
    each ? await signatureOf(ctx, each, key) : 'none',
  );
  return {
    found: components.length - missing.length,
    missing,
    signed: signatures.filter((each) => each === 'signed').length,
    wrong: components.filter((_, index) => signatures[index] === 'wrong').map(({ name }) => name),
  };
}

/** Not every release has all its components signed, so one without a signature is only counted. */
async function signatureOf(
  ctx: Context,
  { source, descriptor }: LocatedComponent,
  key: KeyObject | undefined,
): Promise<'signed' | 'none' | 'wrong'> {
  try {
    await checkSigstore(ctx, { source, descriptor, platforms: undefined }, key);
    return 'signed';
  } catch (error) {
    if (!(error instanceof AtollError)) throw error;
    if (error.code === 'SIGNATURE_MISSING') return 'none';
    if (error.code === 'SIGNATURE_INVALID') return 'wrong';
    throw error;
  }
}

async function locateIfThere(ctx: Context, component: Component, reach: ComponentReach) {
  try {
    return await locateByName(ctx, component, reach);
  } catch (error) {
    if (error instanceof AtollError && error.code === 'IMAGE_UNKNOWN') return undefined;
    throw error;
  }
}
