import type { Context } from '../../core/context.ts';
import { AtollError } from '../../core/errors.ts';
import type { RegistriesConf } from '../../oci/registries/model.ts';
import { KINDS } from '../api/kinds.ts';
import type { KubeObject } from '../api/object.ts';
import type { Resources } from '../api/resources.ts';
import { nodeRegistries } from '../node-registries.ts';
import { poolOf } from '../pools.ts';
import {
  type KubeletCertificate,
  kubeletCertificates,
  type ServingCertificate,
  servingCertificate,
} from './serving-certificate.ts';

const READ = {
  versions: KINDS.clusterVersion,
  operators: KINDS.clusterOperator,
  nodes: KINDS.node,
  pools: KINDS.pool,
  requests: KINDS.certificateRequest,
  pods: KINDS.pod,
  digestMirrors: KINDS.digestMirrors,
  tagMirrors: KINDS.tagMirrors,
  contentPolicies: KINDS.contentPolicy,
  catalogSources: KINDS.catalogSource,
  clusterCatalogs: KINDS.clusterCatalog,
  operatorHubs: KINDS.operatorHub,
  images: KINDS.image,
  samples: KINDS.samples,
  pinnedSets: KINDS.pinnedImageSet,
  poolNodes: KINDS.machineConfigNode,
} as const;

const CONFIG_MAPS = {
  signatures: 'openshift-config-managed',
  trust: 'openshift-config',
  monitoring: 'openshift-monitoring',
} as const;

type Part = keyof typeof READ | keyof typeof CONFIG_MAPS;
type Objects = Readonly<Record<Part, readonly KubeObject[]>>;

/** What is known from elsewhere, and what the cluster is held to. */
export interface Expectation {
  readonly version?: string | undefined;
  /** Digest of the release image. */
  readonly release?: string | undefined;
  readonly nodes?: readonly string[] | undefined;
  /** `host[:port]` of the mirror. */
  readonly mirror?: string | undefined;
  /** Digests that are in the mirror; undefined where they are not known. */
  readonly mirrored?: ReadonlySet<string> | undefined;
  /** Digests that the mirror handed out to machines of the cluster, by its own log; undefined: nobody knows. */
  readonly served?: ReadonlySet<string> | undefined;
  /** The site is to have a way out: what asks the internet is as it should be. */
  readonly wayOut?: boolean | undefined;
}

/** A cluster at one moment: all that the checks look at. */
export interface ClusterSnapshot extends Objects {
  readonly now: Date;
  readonly expected: Expectation;
  /** Mirrors as nodes know them, by pool. */
  readonly registries: ReadonlyMap<string, RegistriesConf>;
  /** What the API itself shows; undefined where that could not be seen. */
  readonly serving: ServingCertificate | undefined;
  /** What nodes show that say where. */
  readonly kubelets: readonly KubeletCertificate[];
  /** What could not be read, and why. */
  readonly unread: Readonly<Partial<Record<Part | 'registries', string>>>;
}

/** Reads the cluster once. A part that may not be read makes only its own checks unknown. */
export async function takeSnapshot(
  ctx: Context,
  resources: Resources,
  expected: Expectation = {},
): Promise<ClusterSnapshot> {
  const unread: Partial<Record<Part | 'registries', string>> = {};
  const trying = async <T>(part: Part | 'registries', otherwise: T, work: () => Promise<T>) => {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof AtollError && error.code === 'CLUSTER_DENIED')) throw error;
      unread[part] = error.message;
      return otherwise;
    }
  };
  const listing = [
    ...Object.entries(READ).map(([part, kind]) => ({ part, kind, namespace: undefined })),
    ...Object.entries(CONFIG_MAPS).map(([part, namespace]) => ({
      part,
      kind: KINDS.configMap,
      namespace,
    })),
  ];
  const lists = await Promise.all(
    listing.map(async ({ part, kind, namespace }) => {
      const list = () => resources.list(ctx, kind, { namespace }).then(({ objects }) => objects);
      return [part, await trying(part as Part, [], list)] as const;
    }),
  );
  const objects = Object.fromEntries(lists) as Objects;
  const registries = await trying('registries', new Map(), async () => {
    const confs = objects.pools.map(poolOf).map(async ({ name, running }) => {
      return [name, await nodeRegistries(ctx, resources, running)] as const;
    });
    return new Map(await Promise.all(confs));
  });
  const serving = await servingCertificate(resources.client.access);
  const kubelets = await kubeletCertificates(ctx, objects.nodes);
  return { ...objects, now: ctx.now(), expected, registries, serving, kubelets, unread };
}
