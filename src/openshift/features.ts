import { isAtLeast, type ReleaseVersion, type Since } from './version.ts';

interface Span {
  /** The first release that has it. */
  readonly since: Since;
  /** The first release that has it no more. */
  readonly until?: Since;
}

/** What only some releases can do. Names of fields are spelled as in the file they belong to. */
const FEATURES = {
  additionalTrustBundlePolicy: { since: '4.13' },
  vsphereFailureDomains: { since: '4.13' },
  /** ImageDigestMirrorSet and ImageTagMirrorSet; before, ImageContentSourcePolicy. */
  mirrorSets: { since: '4.13' },
  imageDigestSources: { since: '4.14' },
  /** `ClusterVersion.spec.signatureStores`. */
  signatureStores: { since: '4.16' },
  /** OVN-Kubernetes masquerades with 169.254.0.0/17; before, with 169.254.169.0/29. */
  wideMasqueradeSubnet: { since: '4.17' },
  /** `oc adm node-image create`: nodes added from the images of the cluster. */
  nodeImageCreate: { since: '4.17' },
  /** The bootstrap machine lays the node image of the release over its own system. */
  nodeImageOverlay: { since: '4.18' },
  /** OLM v1. */
  clusterCatalogs: { since: '4.18' },
  awsVpcSubnets: { since: '4.19' },
  /** Two control plane nodes, with fencing or an arbiter. */
  twoControlPlaneNodes: { since: '4.20' },
  /** `sourcePolicy` beside the mirrors of imageDigestSources. */
  mirrorSourcePolicy: { since: '4.21' },
  /** Nodes refuse a release image without a Sigstore signature beside it. */
  sigstoreRequired: { since: '4.21' },
  /** The default catalog redhat-marketplace. */
  marketplaceCatalog: { since: '4.0', until: '4.22' },
  /** `osImageStream`: which RHEL the nodes run. */
  osImageStream: { since: '4.23' },
} as const satisfies Readonly<Record<string, Span>>;

export type Feature = keyof typeof FEATURES;

/** Whether a release has it. An unknown release is taken for a new one, which still has what old ones had. */
export function knows(version: ReleaseVersion | undefined, feature: Feature): boolean {
  const { since, until }: Span = FEATURES[feature];
  const isGone = version !== undefined && until !== undefined && isAtLeast(version, until);
  return isAtLeast(version, since) && !isGone;
}

/** The first release that has it, for messages. */
export const sinceOf = (feature: Feature): Since => FEATURES[feature].since;

/** The catalogs of OLM v1 a cluster brings along; they ask the internet unless switched off. */
export function defaultClusterCatalogs(version?: ReleaseVersion): string[] {
  return [
    'openshift-certified-operators',
    'openshift-community-operators',
    ...(knows(version, 'marketplaceCatalog') ? ['openshift-redhat-marketplace'] : []),
    'openshift-redhat-operators',
  ];
}

/** The catalogs of a release as images, before they are mirrored. */
export function defaultCatalogImages(version: ReleaseVersion): string[] {
  const tag = `v${version.major}.${version.minor}`;
  return [
    'redhat-operator-index',
    'certified-operator-index',
    'community-operator-index',
    ...(knows(version, 'marketplaceCatalog') ? ['redhat-marketplace-index'] : []),
  ].map((name) => `registry.redhat.io/redhat/${name}:${tag}`);
}

export const OS_IMAGE_STREAMS = ['rhel-9', 'rhel-10'] as const;
export type OsImageStream = (typeof OS_IMAGE_STREAMS)[number];

/** Which RHEL the nodes of a release run where the install-config names no stream. */
export function defaultOsImageStream(version: ReleaseVersion): OsImageStream {
  return isAtLeast(version, '5.0') ? 'rhel-10' : 'rhel-9';
}
