import {
  type BuiltImage,
  type BuiltLayer,
  buildImage,
  buildLayer,
  type LayerFile,
} from '../../oci/build-image.ts';
import type { Platform } from '../../oci/descriptor.ts';
import {
  BOOTSTRAP_COMPONENTS,
  CONTROL_PLANE_COMPONENTS,
  NODE_COMPONENTS,
} from '../../openshift/components.ts';
import { componentRepositories } from '../../openshift/repositories.ts';
import { madeUpBytes } from './bytes.ts';

/** The components of a lab release: those that machines ask for by name, and some of the rest. */
const COMPONENTS: readonly string[] = [
  ...new Set([
    ...BOOTSTRAP_COMPONENTS,
    ...NODE_COMPONENTS,
    ...CONTROL_PLANE_COMPONENTS,
    'cli-artifacts',
    'cluster-network-operator',
    'cluster-version-operator',
    'console',
    'haproxy-router',
    'installer',
    'installer-artifacts',
    'oauth-server',
    'prometheus',
  ]),
].toSorted();

/** What changes from one lab release to the next; the rest is shared, as between real z-streams. */
const CHANGING: ReadonlySet<string> = new Set([
  'etcd',
  'hyperkube',
  'machine-config-operator',
  'rhel-coreos',
]);

/** Operators whose Deployment is in the payload: what the version operator rolls out. */
const OPERATORS: readonly string[] = COMPONENTS.filter((name) => name.endsWith('-operator'));

export const AMD64: Platform = { os: 'linux', architecture: 'amd64' };
/** Where the components of a lab release lie. */
export const [COMPONENT_REPOSITORY = ''] = componentRepositories();

/** Sizes of the made-up programs, so that a lab is quick and still has something to move. */
const BASE_BYTES = 2_000_000;
const COMPONENT_BYTES = 200_000;
const PLACE_BYTES = 300;

export interface LabRelease {
  readonly version: string;
  readonly image: BuiltImage;
  readonly components: ReadonlyMap<string, BuiltImage>;
}

/** The layer all components share, as real ones share their base. */
export function baseLayer(): Promise<BuiltLayer> {
  return buildLayer(
    [
      { path: 'etc/os-release', content: 'NAME="atoll lab"\nID=lab\n' },
      { path: 'usr/lib/base', content: madeUpBytes('base', BASE_BYTES) },
    ],
    'docker',
  );
}

/**
 * A release in the form `oc adm release new` gives it, made of components built here. Those that do
 * not change are taken from the release before, as between real z-streams.
 */
export async function buildRelease(
  version: string,
  previous: readonly LabRelease[],
  base: BuiltLayer,
  installer?: string,
): Promise<LabRelease> {
  const before = previous.at(-1)?.components;
  const components = new Map<string, BuiltImage>();
  for (const name of COMPONENTS) {
    const same = CHANGING.has(name) ? undefined : before?.get(name);
    components.set(name, same ?? (await buildComponent(name, version, base, installer)));
  }
  const updatesFrom = previous.map((release) => release.version);
  const manifests = await buildLayer(releaseFiles(version, updatesFrom, components), 'docker');
  const image = buildImage({
    layers: [base, manifests],
    platform: AMD64,
    family: 'docker',
    labels: { 'io.openshift.release': version },
    entrypoint: ['/usr/bin/cluster-version-operator'],
  });
  return { version, image, components };
}

async function buildComponent(
  name: string,
  version: string,
  base: BuiltLayer,
  installer?: string,
): Promise<BuiltImage> {
  const seed = CHANGING.has(name) ? `${name} ${version}` : name;
  const files = [
    { path: `usr/bin/${name}`, content: madeUpBytes(seed, COMPONENT_BYTES), mode: 0o755 },
    ...toolsOf(name, installer),
  ];
  return buildImage({
    layers: [base, await buildLayer(files, 'docker')],
    platform: AMD64,
    family: 'docker',
    labels: { 'io.openshift.build.name': name, 'io.k8s.display-name': name },
  });
}

/** The programs people extract from a payload. They only say what they are, unless another one is given. */
function toolsOf(component: string, installer?: string): LayerFile[] {
  if (component === 'cli') return [tool('oc', ['_RELEASE_VERSION_LOCATION_'])];
  if (component !== 'installer') return [];
  const places = ['_RELEASE_VERSION_LOCATION_', '_RELEASE_IMAGE_LOCATION_'];
  return [tool('openshift-install', places, installer)];
}

/** A script that ends before the places that extracting fills in, as it does in the real programs. */
function tool(name: string, places: readonly string[], given?: string): LayerFile {
  const standIn = `#!/bin/sh\necho "${name} of an atoll lab: a stand-in, not the program"\nexit 0\n`;
  const script = given ?? standIn;
  const room = places.map((place) => `\0${place}\0${'X'.repeat(PLACE_BYTES)}\0`);
  return { path: `usr/bin/${name}`, content: `${script}${room.join('\n')}\n`, mode: 0o755 };
}

function releaseFiles(
  version: string,
  previous: readonly string[],
  components: ReadonlyMap<string, BuiltImage>,
): LayerFile[] {
  const tags = [...components].map(([name, image]) => ({
    name,
    annotations: {
      'io.openshift.build.commit.id': image.manifest.descriptor.digest.slice(7, 47),
      'io.openshift.build.source-location': `https://github.com/openshift/${name}`,
    },
    from: {
      kind: 'DockerImage',
      name: `${COMPONENT_REPOSITORY}@${image.manifest.descriptor.digest}`,
    },
    referencePolicy: { type: '' },
  }));
  const references = {
    kind: 'ImageStream',
    apiVersion: 'image.openshift.io/v1',
    metadata: { name: version },
    spec: { tags },
  };
  const metadata = {
    kind: 'cincinnati-metadata-v0',
    version,
    previous,
    metadata: { url: 'https://atoll.example/lab' },
  };
  return [
    json('image-references', references),
    json('release-metadata', metadata),
    credentialsRequest(),
    ...OPERATORS.map((name) =>
      deployment(name, tags.find((tag) => tag.name === name)?.from.name ?? ''),
    ),
  ].map((file) => ({ ...file, path: `release-manifests/${file.path}`, mode: 0o444 }));
}

function json(path: string, value: unknown): LayerFile {
  return { path, content: `${JSON.stringify(value, null, 2)}\n` };
}

function deployment(name: string, image: string): LayerFile {
  return json(`0000_50_${name}_01_deployment.yaml`, {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace: `openshift-${name}` },
    spec: { template: { spec: { containers: [{ name, image }] } } },
  });
}

function credentialsRequest(): LayerFile {
  return json('0000_50_cluster-ingress-operator_00-ingress-credentials-request.yaml', {
    apiVersion: 'cloudcredential.openshift.io/v1',
    kind: 'CredentialsRequest',
    metadata: { name: 'openshift-ingress', namespace: 'openshift-cloud-credential-operator' },
    spec: {
      secretRef: { name: 'cloud-credentials', namespace: 'openshift-ingress-operator' },
      providerSpec: {
        apiVersion: 'cloudcredential.openshift.io/v1',
        kind: 'AWSProviderSpec',
        statementEntries: [{ effect: 'Allow', action: ['route53:ListHostedZones'], resource: '*' }],
      },
    },
  });
}
