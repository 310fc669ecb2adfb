import { createSign, generateKeyPairSync } from 'node:crypto';
import { join } from 'node:path';
import type { Context } from '../../core/context.ts';
import { writeFileAtomic } from '../../core/files.ts';
import { loadOpenpgp } from '../../core/openpgp.ts';
import {
  type BuiltImage,
  type BuiltIndex,
  blobOf,
  buildArtifact,
  buildImage,
  buildIndex,
  buildLayer,
  putBuilt,
} from '../../oci/build-image.ts';
import type { Target } from '../../oci/content.ts';
import { type Digest, splitDigest } from '../../oci/digest.ts';
import { parseReference, type Reference } from '../../oci/reference.ts';
import { OPERATOR_CATALOG, RELEASE_REPOSITORY } from '../../openshift/repositories.ts';
import { madeUpBytes } from './bytes.ts';
import { buildCatalog } from './catalog.ts';
import {
  AMD64,
  baseLayer,
  buildRelease,
  COMPONENT_REPOSITORY,
  type LabRelease,
} from './release.ts';

// Everything the internet would answer, made here: what quay.io and registry.redhat.io hold, the
// update graph, the signature store and the keys. Formats are the real ones; programs inside the
// images are made-up bytes.

const LAB_MINOR = '4.18';
export const LAB_VERSIONS: readonly string[] = [`${LAB_MINOR}.1`, `${LAB_MINOR}.2`];
const LAB_CHANNEL = `stable-${LAB_MINOR}`;
export const EXTRA_IMAGE = 'quay.io/openshifttest/hello-openshift:multiarch';
export const CATALOG_IMAGE = `${OPERATOR_CATALOG}:v${LAB_MINOR}`;

/** Where the files of an upstream are, below its folder. */
export interface UpstreamFiles {
  readonly graph: string;
  /** A folder in the layout of the public signature store. */
  readonly signatures: string;
  readonly releaseKey: string;
  readonly sigstoreKey: string;
}

export function upstreamFiles(folder: string): UpstreamFiles {
  return {
    graph: join(folder, `graph-${LAB_CHANNEL}-amd64.json`),
    signatures: join(folder, 'signatures'),
    releaseKey: join(folder, 'release-key.asc'),
    sigstoreKey: join(folder, 'cosign.pub'),
  };
}

interface Published {
  readonly reference: Reference;
  readonly built: BuiltImage | BuiltIndex;
}

/** Makes the whole upstream: images through `targetFor`, files into `folder`. */
export async function makeUpstream(
  ctx: Context,
  folder: string,
  targetFor: (reference: Reference) => Target,
  /** A script in the place of openshift-install; it must not read beyond its last line. */
  installer?: string,
): Promise<void> {
  const base = await baseLayer();
  const signer = await createReleaseSigner(ctx.now());
  const releases: LabRelease[] = [];
  for (const version of LAB_VERSIONS) {
    releases.push(await buildRelease(version, releases, base, installer));
  }
  const images = [
    ...componentImages(releases),
    ...releases.flatMap((release) => releaseImages(release, signer)),
    ...(await otherImages(base)),
  ];
  ctx.emit({
    type: 'task.started',
    task: 'upstream',
    title: 'Make an upstream',
    totalItems: images.length,
  });
  for (const [index, { reference, built }] of images.entries()) {
    ctx.signal.throwIfAborted();
    await putBuilt(ctx, targetFor(reference), built, reference.tag);
    ctx.emit({
      type: 'task.progressed',
      task: 'upstream',
      doneItems: index + 1,
      totalItems: images.length,
    });
  }
  await writeFiles(upstreamFiles(folder), releases, signer);
  ctx.emit({
    type: 'task.finished',
    task: 'upstream',
    title: 'Make an upstream',
    summary: `${images.length} images`,
  });
}

/** Each once, however many releases share it. */
function componentImages(releases: readonly LabRelease[]): Published[] {
  const components = new Set(releases.flatMap((release) => [...release.components.values()]));
  return [...components].map((built) => ({
    reference: parseReference(`${COMPONENT_REPOSITORY}@${built.manifest.descriptor.digest}`),
    built,
  }));
}

function releaseImages(release: LabRelease, signer: ReleaseSigner): Published[] {
  const name = `${RELEASE_REPOSITORY}:${release.version}-x86_64`;
  const { digest } = release.image.manifest.descriptor;
  const signature = `${RELEASE_REPOSITORY}:sha256-${splitDigest(digest).hex}.sig`;
  return [
    { reference: parseReference(name), built: release.image },
    { reference: parseReference(signature), built: signer.sigstore(digest, name) },
  ];
}

async function otherImages(base: Awaited<ReturnType<typeof baseLayer>>): Promise<Published[]> {
  const catalog = await buildCatalog(base);
  const extra = [];
  for (const architecture of ['amd64', 'arm64']) {
    const platform = { ...AMD64, architecture };
    const layer = await buildLayer([
      { path: 'hello', content: madeUpBytes(`hello ${architecture}`, 50_000), mode: 0o755 },
    ]);
    extra.push({ platform, image: buildImage({ layers: [layer], platform }) });
  }
  return [
    ...catalog.images.map(({ repository, image }) => ({
      reference: parseReference(`${repository}@${image.manifest.descriptor.digest}`),
      built: image,
    })),
    { reference: parseReference(CATALOG_IMAGE), built: catalog.index },
    { reference: parseReference(EXTRA_IMAGE), built: buildIndex(extra) },
  ];
}

async function writeFiles(
  files: UpstreamFiles,
  releases: readonly LabRelease[],
  signer: ReleaseSigner,
): Promise<void> {
  for (const { version, image } of releases) {
    const { digest } = image.manifest.descriptor;
    const body = await signer.gpg(digest, `${RELEASE_REPOSITORY}:${version}-x86_64`);
    await writeFileAtomic(join(files.signatures, digest.replace(':', '='), 'signature-1'), body);
  }
  await writeFileAtomic(files.releaseKey, signer.releaseKey);
  await writeFileAtomic(files.sigstoreKey, signer.sigstoreKey);
  await writeFileAtomic(files.graph, `${JSON.stringify(graphOf(releases), null, 2)}\n`);
}

function graphOf(releases: readonly LabRelease[]): object {
  return {
    version: 1,
    nodes: releases.map(({ version, image }) => ({
      version,
      payload: `${RELEASE_REPOSITORY}@${image.manifest.descriptor.digest}`,
      metadata: { 'io.openshift.upgrades.graph.release.channels': LAB_CHANNEL },
    })),
    edges: releases.slice(1).map((_, index) => [index, index + 1]),
    conditionalEdges: [],
  };
}

const SIMPLE_SIGNING = 'application/vnd.dev.cosign.simplesigning.v1+json';
const SIGNATURE_ANNOTATION = 'dev.cosignproject.cosign/signature';

/** The two signatures a release carries: GPG for the version operator, Sigstore for the nodes. */
interface ReleaseSigner {
  /** ASCII-armoured public key. */
  readonly releaseKey: string;
  /** PEM public key. */
  readonly sigstoreKey: string;
  /** The body of `signature-1` in a signature store. */
  gpg(digest: Digest, reference: string): Promise<Uint8Array>;
  /** The image that stands at the tag `sha256-<hex>.sig`. */
  sigstore(digest: Digest, reference: string): BuiltImage;
}

/** Fresh keys for one lab; the private halves never leave this process. */
async function createReleaseSigner(now: Date): Promise<ReleaseSigner> {
  const { createMessage, generateKey, readPrivateKey, sign } = await loadOpenpgp();
  const { privateKey, publicKey: releaseKey } = await generateKey({
    type: 'ecc',
    curve: 'nistP256',
    userIDs: [{ name: 'atoll lab release', email: 'lab@atoll.example' }],
    date: now,
    format: 'armored',
  });
  const signingKeys = await readPrivateKey({ armoredKey: privateKey });
  const cosign = generateKeyPairSync('ec', { namedCurve: 'P-256' });

  return {
    releaseKey,
    sigstoreKey: cosign.publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    async gpg(digest, reference) {
      const text = JSON.stringify(claim('atomic container signature', digest, reference));
      const message = await createMessage({ binary: Buffer.from(text) });
      return sign({ message, signingKeys, date: now, format: 'binary' });
    },
    sigstore(digest, reference) {
      const payload = Buffer.from(
        JSON.stringify(claim('cosign container image signature', digest, reference)),
      );
      const signature = createSign('sha256').update(payload).sign(cosign.privateKey, 'base64');
      const { descriptor, bytes } = blobOf(SIMPLE_SIGNING, payload);
      const annotations = { [SIGNATURE_ANNOTATION]: signature };
      return buildArtifact([{ descriptor: { ...descriptor, annotations }, bytes }]);
    },
  };
}

function claim(type: string, digest: Digest, reference: string): object {
  return {
    critical: {
      identity: { 'docker-reference': reference },
      image: { 'docker-manifest-digest': digest },
      type,
    },
    optional: null,
  };
}
