import type { Context } from '../../core/context.ts';
import { AtollError } from '../../core/errors.ts';
import type { Source } from '../../oci/content.ts';
import type { Descriptor, Platform } from '../../oci/descriptor.ts';
import {
  formatReference,
  type Reference,
  referenceIfValid,
  tagOrDigestOf,
} from '../../oci/reference.ts';
import { type CollectDeps, failureOf } from '../collecting.ts';
import {
  type CollectFailure,
  type Collection,
  type CollectWarning,
  type ContentImage,
  EMPTY_COLLECTION,
  type ReleaseName,
} from '../content-image.ts';
import type { ImageSet } from '../image-set/image-set.ts';
import type { WantedRelease } from './choose-releases.ts';
import { kubeVirtDisks } from './payload/kubevirt.ts';
import { type Payload, readPayload } from './payload/payload.ts';
import { needsSigstore, trustRelease, trustSigstore } from './release-trust.ts';
import type { VerifiedSignature } from './signatures/gpg.ts';

/** A release as it was found. */
interface FoundRelease {
  readonly wanted: WantedRelease;
  readonly source: Source;
  readonly descriptor: Descriptor;
  readonly payload: Payload;
  readonly signature: VerifiedSignature | undefined;
  readonly name: ReleaseName;
  readonly platforms: readonly Platform[] | undefined;
}

/** A release image and everything it refers to. It is pulled by digest, and that digest is verified. */
export async function collectRelease(
  ctx: Context,
  wanted: WantedRelease,
  set: ImageSet,
  deps: CollectDeps,
): Promise<Collection> {
  const subject = `release ${wanted.version ?? formatReference(wanted.reference)}`;
  try {
    const found = await findRelease(ctx, wanted, set, deps);
    const extras = await collectExtras(ctx, found, set, deps);
    const { signature, name } = found;
    return {
      images: [releaseImage(found), ...components(found), ...extras.images],
      signatures: signature
        ? [{ digest: signature.digest, bytes: signature.bytes, release: name }]
        : [],
      warnings: extras.warnings.map((message) => ({ subject: `release ${name.tag}`, message })),
      failures: extras.failures,
    };
  } catch (error) {
    ctx.signal.throwIfAborted();
    return { ...EMPTY_COLLECTION, failures: [failureOf(subject, error)] };
  }
}

async function findRelease(
  ctx: Context,
  wanted: WantedRelease,
  set: ImageSet,
  deps: CollectDeps,
): Promise<FoundRelease> {
  const source = deps.source(wanted.reference);
  const descriptor = await source.resolve(ctx, tagOrDigestOf(wanted.reference));
  if (!descriptor) throw unknownImage(wanted.reference);
  const isDelete = set.purpose === 'delete';
  const named = { reference: wanted.reference, digest: descriptor.digest };
  const signature = isDelete ? undefined : await trustRelease(ctx, named, deps);
  const payload = await readPayload(ctx, source, descriptor);
  checkExpected(wanted, payload);
  const tag = signedTag(signature) ?? payload.tag;
  const name = { version: payload.version, tag };
  return {
    wanted,
    source,
    descriptor,
    payload,
    signature,
    name,
    platforms: set.platform?.platforms,
  };
}

function unknownImage(reference: Reference): AtollError {
  return new AtollError('IMAGE_UNKNOWN', `Cannot find ${formatReference(reference)}`, {
    hint: 'Check the reference, and the mirrors in registries.conf',
  });
}

/** The signed name is used for the tag alone; what is pulled is decided by the digest. */
function signedTag(signature: VerifiedSignature | undefined): string | undefined {
  return signature && referenceIfValid(signature.identity)?.tag;
}

function checkExpected({ version, architecture }: WantedRelease, payload: Payload): void {
  const wrong =
    version !== undefined && version !== payload.version
      ? `it is version ${payload.version}, not ${version}`
      : architecture !== undefined && architecture !== payload.architecture
        ? `it is for ${payload.architecture}, not ${architecture}`
        : undefined;
  if (wrong === undefined) return;
  throw new AtollError('PAYLOAD_INVALID', `Cannot use release ${payload.digest}: ${wrong}`, {
    hint: 'The update graph names another image: give the right one with --graph',
  });
}

function releaseImage({
  wanted,
  descriptor,
  name,
  platforms,
  payload,
}: FoundRelease): ContentImage {
  const { registry, repository } = wanted.reference;
  return {
    kind: 'release',
    source: { registry, repository, digest: descriptor.digest },
    digest: descriptor.digest,
    platforms,
    reason: wanted.reason,
    release: name,
    sigstore: needsSigstore(wanted.reference, payload.version) ? 'required' : 'wanted',
  };
}

function components({ payload, name, platforms }: FoundRelease): ContentImage[] {
  return payload.components.map((component) => ({
    kind: 'component',
    source: component.image,
    digest: component.image.digest,
    platforms,
    reason: `component of release ${name.tag}`,
    release: name,
    component: component.name,
    sigstore: 'wanted',
  }));
}

interface Extras {
  readonly images: readonly ContentImage[];
  readonly warnings: readonly string[];
  readonly failures: readonly CollectFailure[];
}

/** What belongs to a release but must not cost it: container disks, Sigstore signatures. */
async function collectExtras(
  ctx: Context,
  found: FoundRelease,
  set: ImageSet,
  deps: CollectDeps,
): Promise<Extras> {
  const failures: CollectFailure[] = [];
  const warnings: CollectWarning['message'][] = [];
  const images: ContentImage[] = [];
  if (!found.signature && set.purpose === 'mirror')
    warnings.push('It is not verified: no signature was asked for');
  if (set.platform?.kubeVirtContainer) {
    try {
      images.push(...kubeVirtImages(found, set));
    } catch (error) {
      failures.push(failureOf(`kubeVirtContainer of ${found.name.tag}`, error));
    }
  }
  if (set.purpose === 'mirror') {
    try {
      const release = { reference: found.wanted.reference, version: found.payload.version };
      const warning = await trustSigstore(ctx, found, release, deps.sigstoreKey);
      if (warning !== undefined) warnings.push(warning);
    } catch (error) {
      ctx.signal.throwIfAborted();
      failures.push(failureOf(`Sigstore signature of ${found.name.tag}`, error));
    }
  }
  return { images, warnings, failures };
}

const ALL = ['amd64', 'arm64', 'ppc64le', 's390x'] as const;

function kubeVirtImages({ payload, name }: FoundRelease, { platform }: ImageSet): ContentImage[] {
  const asked = platform?.platforms?.map(({ architecture }) => architecture);
  const own = payload.architecture === 'multi' ? ALL : [payload.architecture];
  return kubeVirtDisks(payload, asked ?? own).map((disk) => ({
    kind: 'kubevirt',
    source: disk.image,
    digest: disk.image.digest,
    reason: `KubeVirt disk of release ${name.tag} for ${disk.architecture}`,
    release: name,
    component: disk.name,
    sigstore: 'wanted',
  }));
}
