import { generateKeyPairSync, type KeyObject, sign as signBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createMessage, generateKey, sign } from 'openpgp';
import type { Descriptor } from '../../src/oci/descriptor.ts';
import type { Digest } from '../../src/oci/digest.ts';
import { MEDIA_TYPES } from '../../src/oci/media-types.ts';
import { MemoryImages } from './images.ts';
import { tempDir } from './temp.ts';

// A release 5.0 made by hand: components in two repositories, two RHELs for nodes, each image signed.

const VERSION = '5.0.1';
const DEV = 'quay.io/openshift-release-dev';
const RELEASE_REPOSITORY = `${DEV}/ocp-release`;
const V4 = `${DEV}/ocp-v4.0-art-dev`;
const V5 = `${DEV}/ocp-v5.0-art-dev`;
const STREAM = 'io.openshift.os.streamclass';

/** Name, repository and labels of each component. */
const COMPONENTS: readonly (readonly [string, string, Record<string, string>?])[] = [
  ['cli', V4],
  ['etcd', V4],
  ['hyperkube', V5],
  ['machine-config-operator', V5],
  ['pod', V5],
  ['rhel-coreos', V4, { [STREAM]: 'rhel-9', 'containers.bootc': '1' }],
  ['rhel-coreos-extensions', V4, { [STREAM]: 'rhel-9', 'io.openshift.os.extensions': 'true' }],
  ['rhel-coreos-10', V5, { [STREAM]: 'rhel-10', 'containers.bootc': '1' }],
  ['rhel-coreos-10-extensions', V5, { [STREAM]: 'rhel-10', 'io.openshift.os.extensions': 'true' }],
];

export type Signing = 'attached' | 'bundle' | 'none';

export interface ReleaseFive {
  readonly images: MemoryImages & { referrersOf: Map<Digest, Descriptor[]> };
  readonly digest: Digest;
  readonly payload: string;
  readonly components: ReadonlyMap<string, { readonly image: string; readonly root: Descriptor }>;
  /** Every image with the repository it lies in and the tag it has, signatures included. */
  readonly published: readonly {
    readonly repository: string;
    readonly name: string;
    readonly root: Descriptor;
  }[];
  readonly sigstoreKey: KeyObject;
  /** What collecting has to be given for it. */
  readonly deps: {
    readonly graph: string;
    readonly signatureStores: readonly string[];
    readonly releaseKeys: readonly Awaited<ReturnType<typeof generateKey>>['publicKey'][];
  };
}

export interface FiveChoices {
  /** How the release image is signed for nodes. */
  readonly signing?: Signing;
  /** An index of two architectures, of which only the members are signed. */
  readonly multi?: boolean;
}

/** Every one made is another, so that none has the signatures of another. */
let made = 0;

export async function makeReleaseFive({ signing = 'attached', multi = false }: FiveChoices = {}) {
  const images = withReferrers(new MemoryImages());
  made += 1;
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const published: { repository: string; name: string; root: Descriptor }[] = [];
  const publish = (
    repository: string,
    root: Descriptor,
    form: Signing,
    name: string = root.digest,
  ) => {
    published.push({ repository, name, root });
    const signature = signatureFor(images, root, repository, form, privateKey);
    if (signature) published.push({ repository, ...signature });
  };
  const components = new Map<string, { image: string; root: Descriptor }>();
  for (const [name, repository, labels] of COMPONENTS) {
    const layer = await images.addLayer([
      { name: `usr/${name}`, content: `${name} of ${VERSION} number ${made}` },
    ]);
    const root = images.addImage([layer], undefined, { config: { Labels: labels ?? {} } });
    components.set(name, { image: `${repository}@${root.digest}`, root });
    publish(repository, root, 'attached');
  }
  const layer = await payloadLayer(images, components);
  const single = images.addImage([layer]);
  const platform = (architecture: string) => ({ platform: { os: 'linux', architecture } });
  const members = multi
    ? [single, images.addImage([layer], undefined, { architecture: 'arm64' })]
    : [];
  const release = multi
    ? images.addIndex(
        members.map((each, index) => ({ ...each, ...platform(['amd64', 'arm64'][index] ?? '') })),
      )
    : single;
  for (const member of members) publish(RELEASE_REPOSITORY, member, signing);
  publish(RELEASE_REPOSITORY, release, multi ? 'none' : signing);
  const { digest } = release;
  return {
    images,
    digest,
    payload: `${RELEASE_REPOSITORY}@${digest}`,
    components,
    published,
    sigstoreKey: publicKey,
    deps: await trustFor(digest, multi),
  } satisfies ReleaseFive;
}

/** What refers to an image, as a registry with the API would list it. */
function withReferrers(images: MemoryImages) {
  const referrersOf = new Map<Digest, Descriptor[]>();
  const can = {
    referrers: async (_ctx: unknown, subject: Digest) => referrersOf.get(subject) ?? [],
  };
  return Object.assign(images, { referrersOf, can });
}

function payloadLayer(images: MemoryImages, components: ReadonlyMap<string, { image: string }>) {
  const tags = [...components].map(([name, { image }]) => ({
    name,
    from: { kind: 'DockerImage', name: image },
  }));
  const references = {
    kind: 'ImageStream',
    apiVersion: 'image.openshift.io/v1',
    metadata: { name: VERSION },
    spec: { tags },
  };
  const metadata = { kind: 'cincinnati-metadata-v0', version: VERSION, previous: ['4.23.7'] };
  return images.addLayer([
    { name: 'release-manifests/image-references', content: JSON.stringify(references) },
    { name: 'release-manifests/release-metadata', content: JSON.stringify(metadata) },
  ]);
}

/** A signature as cosign 2 attaches it, or the bundle that cosign 3 writes. */
function signatureFor(
  images: ReleaseFive['images'],
  root: Descriptor,
  repository: string,
  form: Signing,
  key: KeyObject,
): { name: string; root: Descriptor } | undefined {
  if (form === 'none') return undefined;
  const config = images.addBlob(Buffer.from('{}'), MEDIA_TYPES.ociConfig);
  if (form === 'bundle') return bundleFor(images, root, config, key);
  const payload = Buffer.from(
    JSON.stringify({
      critical: {
        identity: { 'docker-reference': repository },
        image: { 'docker-manifest-digest': root.digest },
        type: 'cosign container image signature',
      },
      optional: null,
    }),
  );
  const blob = images.addBlob(payload, 'application/vnd.dev.cosign.simplesigning.v1+json');
  const signature = signBytes('sha256', payload, key).toString('base64');
  const layers = [{ ...blob, annotations: { 'dev.cosignproject.cosign/signature': signature } }];
  const name = `${root.digest.replace(':', '-')}.sig`;
  return { name, root: images.addManifest({ config, layers }, MEDIA_TYPES.ociManifest, name) };
}

const BUNDLE = 'application/vnd.dev.sigstore.bundle.v0.3+json';

function bundleFor(
  images: ReleaseFive['images'],
  root: Descriptor,
  config: Descriptor,
  key: KeyObject,
) {
  const payloadType = 'application/vnd.in-toto+json';
  const statement = Buffer.from(
    JSON.stringify({
      _type: 'https://in-toto.io/Statement/v1',
      subject: [{ digest: { sha256: root.digest.slice('sha256:'.length) } }],
      predicateType: 'https://sigstore.dev/cosign/sign/v1',
      predicate: {},
    }),
  );
  const signed = Buffer.concat([
    Buffer.from(`DSSEv1 ${payloadType.length} ${payloadType} ${statement.length} `),
    statement,
  ]);
  const sig = signBytes('sha256', signed, key).toString('base64');
  const bundle = {
    mediaType: BUNDLE,
    verificationMaterial: { publicKey: { hint: 'made by hand' } },
    dsseEnvelope: { payload: statement.toString('base64'), payloadType, signatures: [{ sig }] },
  };
  const layer = images.addBlob(Buffer.from(JSON.stringify(bundle)), BUNDLE);
  const manifest = images.addManifest(
    { artifactType: BUNDLE, config, layers: [layer], subject: root },
    MEDIA_TYPES.ociManifest,
  );
  images.referrersOf.set(root.digest, [{ ...manifest, artifactType: BUNDLE }]);
  return { name: manifest.digest as string, root: manifest };
}

async function trustFor(digest: Digest, multi: boolean): Promise<ReleaseFive['deps']> {
  const folder = await tempDir();
  const { privateKey, publicKey } = await generateKey({
    userIDs: [{ name: 'release five' }],
    format: 'object',
    date: new Date('2027-01-01'),
  });
  const tag = `${VERSION}-${multi ? 'multi' : 'x86_64'}`;
  const critical = {
    type: 'atomic container signature',
    image: { 'docker-manifest-digest': digest },
    identity: { 'docker-reference': `${RELEASE_REPOSITORY}:${tag}` },
  };
  const message = await createMessage({ binary: Buffer.from(JSON.stringify({ critical })) });
  const date = new Date('2027-02-01');
  const bytes = await sign({ message, signingKeys: privateKey, date, format: 'binary' });
  const place = join(folder, digest.replace(':', '='));
  await mkdir(place);
  await writeFile(join(place, 'signature-1'), bytes as Uint8Array);
  const graph = join(folder, 'graph.json');
  const payload = `${RELEASE_REPOSITORY}@${digest}`;
  const nodes = [
    {
      version: VERSION,
      payload,
      metadata: { 'io.openshift.upgrades.graph.release.channels': 'stable-5.0' },
    },
  ];
  await writeFile(graph, JSON.stringify({ nodes, edges: [] }));
  return { graph, signatureStores: [`file://${folder}`], releaseKeys: [publicKey] };
}
