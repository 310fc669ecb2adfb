import { join } from 'node:path';
import type { CollectDeps } from '../../../content/collecting.ts';
import type { ContentImage } from '../../../content/content-image.ts';
import { referenceOf } from '../../../content/release/open-release.ts';
import { trustRelease, trustSigstore } from '../../../content/release/release-trust.ts';
import { loadReleaseKeys } from '../../../content/release/signatures/release-keys.ts';
import { signatureConfigMaps } from '../../../content/release/signatures/signature-config-map.ts';
import type { Context } from '../../../core/context.ts';
import { type Digest, splitDigest } from '../../../oci/digest.ts';
import { formatReference } from '../../../oci/reference.ts';
import { findCollisions, refuseCollisions } from '../../destination.ts';
import { FROM_FOLDER, type MirroredImage } from '../../image-rules.ts';
import { copyContent, type JobTarget } from '../copy-content.ts';
import type { MirrorReport } from '../report.ts';
import type { RunOptions } from '../run.ts';
import { reportOf } from '../write-report.ts';
import { writeTold } from '../write-resources.ts';
import { OcDirTarget } from './oc-dir.ts';
import { carriedSignature, type ReleaseOrigin, type TrustedSignature } from './release-origin.ts';
import { releaseTargets } from './release-target.ts';

export interface ReleaseMirrorOptions extends RunOptions {
  readonly origin: ReleaseOrigin;
  readonly collect: CollectDeps;
  /** `HOST/REPOSITORY`; with `toDir` a repository below it. */
  readonly to: string;
  readonly toDir?: string | undefined;
  readonly fromDir?: string | undefined;
  readonly toReleaseImage?: string | undefined;
  readonly skipReleaseImage?: boolean | undefined;
  /** Where the signature goes, for `oc apply`; beside the images in a folder by default. */
  readonly signatureDir?: string | undefined;
}

/** Stands in for the name of a release image whose origin is not known. */
const NOWHERE = { registry: FROM_FOLDER, repository: 'openshift/release' };

export interface ReleaseMirrorResult {
  readonly report: MirrorReport;
  readonly version: string;
  readonly tag: string;
  readonly digest: Digest;
  readonly placed: readonly MirroredImage[];
  /** The release image at the mirror; undefined where it was left out. */
  readonly updateImage: string | undefined;
  readonly signatureFile: string | undefined;
}

/**
 * Every image of a release at its place: nothing is copied yet. A release that was carried in a
 * folder does not know where it came from, but its signature does.
 */
export function placeRelease(
  options: ReleaseMirrorOptions,
  signature?: TrustedSignature,
): MirroredImage[] {
  const { to, toReleaseImage, origin, skipReleaseImage } = options;
  const { payload, place } = origin.release;
  const { tag, version, digest, components } = payload;
  const targets = releaseTargets({ to, toReleaseImage, tag, version });
  const release = { version, tag };
  const named = place.reference ?? referenceOf(signature?.identity) ?? NOWHERE;
  const { registry, repository } = named;
  const image: ContentImage = {
    kind: 'release',
    source: { registry, repository, digest },
    digest,
    reason: `release ${tag}`,
    release,
  };
  const parts = components.map((component) => ({
    image: {
      kind: 'component',
      source: component.image,
      digest: component.image.digest,
      reason: `component of release ${tag}`,
      release,
      component: component.name,
    } satisfies ContentImage,
    target: targets.component(component.name),
  }));
  const placed = skipReleaseImage ? parts : [{ image, target: targets.release }, ...parts];
  refuseCollisions(findCollisions(placed));
  return placed;
}

/** What `oc adm release mirror` does: verify, copy every image, keep the signature. */
export async function mirrorRelease(
  ctx: Context,
  options: ReleaseMirrorOptions,
): Promise<ReleaseMirrorResult> {
  const { origin, toDir } = options;
  const { payload } = origin.release;
  const signature = await trusted(ctx, options);
  await trustedByNodes(ctx, options, signature);
  const placed = placeRelease(options, signature);
  const sourceOf = (each: MirroredImage) => releaseSource(options, each);
  const title = `Mirroring release ${payload.tag}`;
  const run = { ...options, targetFor: releaseTargetFor(options), title };
  const copy = await copyContent(ctx, { placed, sourceOf }, run);
  const folder = options.signatureDir ?? (toDir === undefined ? undefined : join(toDir, 'config'));
  const release = placed.find(({ image }) => image.kind === 'release');
  return {
    report: reportOf({ flow: 'release' }, { placed, failures: [] }, copy),
    version: payload.version,
    tag: payload.tag,
    digest: payload.digest,
    placed,
    updateImage: release && formatReference(release.target),
    signatureFile:
      folder && signature
        ? await writeSignature(ctx, folder, payload.digest, signature.bytes)
        : undefined,
  };
}

/** The signature of the release: carried along, or from the stores. */
async function trusted(
  ctx: Context,
  { origin, fromDir, collect }: ReleaseMirrorOptions,
): Promise<TrustedSignature | undefined> {
  const { digest } = origin.release.payload;
  if (fromDir !== undefined) {
    const keys = collect.releaseKeys ?? (await loadReleaseKeys());
    const carried = await carriedSignature(ctx, fromDir, digest, keys);
    if (carried) return carried;
  }
  return await trustRelease(ctx, { reference: origin.release.place.reference, digest }, collect);
}

/** A release that a sync would refuse is refused here, too: nodes would not start it. */
async function trustedByNodes(
  ctx: Context,
  { origin, collect, skipReleaseImage }: ReleaseMirrorOptions,
  signature: TrustedSignature | undefined,
): Promise<void> {
  if (skipReleaseImage) return;
  const { place, descriptor, payload } = origin.release;
  const reference = place.reference ?? referenceOf(signature?.identity);
  const subject = { source: place.source, descriptor, platforms: undefined };
  const release = { reference, version: payload.version };
  const message = await trustSigstore(ctx, subject, release, collect.sigstoreKey);
  if (message !== undefined)
    ctx.emit({ type: 'warning.raised', message, subject: `release ${payload.tag}` });
}

function releaseSource({ origin }: ReleaseMirrorOptions, { image }: MirroredImage) {
  const { payload, place } = origin.release;
  const component = payload.components.find(({ name }) => name === image.component);
  return component ? origin.componentSource(component) : place.source;
}

/** Repositories of a registry, or folders of which there is one for each repository. */
function releaseTargetFor({
  toDir,
  registries,
}: ReleaseMirrorOptions): (image: MirroredImage) => JobTarget {
  const folders = new Map<string, OcDirTarget>();
  return ({ target: { registry, repository, tag } }) => {
    const tags = tag === undefined ? [] : [tag];
    if (toDir === undefined) {
      const target = registries.repository(registry, repository);
      return { target, tags, to: `${registry}/${repository}:${tag}` };
    }
    const target = folders.get(repository) ?? new OcDirTarget(toDir, repository);
    folders.set(repository, target);
    return { target, tags, to: `file://${repository}:${tag}` };
  };
}

async function writeSignature(
  ctx: Context,
  folder: string,
  digest: Digest,
  bytes: Uint8Array,
): Promise<string> {
  const release = { version: '', tag: '' };
  const [map] = signatureConfigMaps([{ digest, bytes, release }]);
  const { algorithm, hex } = splitDigest(digest);
  const path = join(folder, `signature-${algorithm}-${hex.slice(0, 16)}.json`);
  const object = {
    kind: 'ConfigMap',
    apiVersion: 'v1',
    metadata: {
      name: map?.name,
      namespace: 'openshift-config-managed',
      labels: { 'release.openshift.io/verification-signatures': '' },
    },
    binaryData: map?.binaryData,
  };
  const text = `${JSON.stringify(object, null, 2)}\n`;
  await writeTold(ctx, path, text);
  return path;
}
