import * as z from 'zod';
import { counted } from '../../core/format.ts';
import { parseReference, repositoryName } from '../../oci/reference.ts';
import { hostOf } from '../../oci/registries/location.ts';
import { pullEndpoints } from '../../oci/registries/match.ts';
import type { RegistriesConf } from '../../oci/registries/model.ts';
import { conditionOf, type KubeObject } from '../api/object.ts';
import { type Check, type CheckClaim, type CheckOutcome, fails, holds } from './check.ts';
import type { ClusterSnapshot } from './snapshot.ts';

const statusList = z
  .array(
    z.object({
      name: z.string(),
      imageID: z.string().default(''),
      state: z
        .object({ waiting: z.object({ reason: z.string().default('') }).optional() })
        .default({}),
    }),
  )
  .default([]);
const containers = z
  .array(z.object({ name: z.string(), image: z.string().default('') }))
  .default([]);
const podSchema = z.object({
  spec: z.object({
    nodeName: z.string().optional(),
    containers,
    initContainers: containers,
    ephemeralContainers: containers,
  }),
  status: z
    .object({
      containerStatuses: statusList,
      initContainerStatuses: statusList,
      ephemeralContainerStatuses: statusList,
    })
    .default({
      containerStatuses: [],
      initContainerStatuses: [],
      ephemeralContainerStatuses: [],
    }),
});

/** An image that some container runs or ran. */
interface RunningImage {
  readonly image: string;
  /** `sha256:…` of what runs. */
  readonly digest: string;
  readonly pod: string;
  readonly node: string;
}

/** What the containers of a pod run or ran. */
function podImages(pod: KubeObject): RunningImage[] {
  const { spec, status } = podSchema.parse(pod);
  const asked = new Map(
    [...spec.containers, ...spec.initContainers, ...spec.ephemeralContainers].map(
      ({ name, image }) => [name, image] as const,
    ),
  );
  const statuses = [
    ...status.containerStatuses,
    ...status.initContainerStatuses,
    ...status.ephemeralContainerStatuses,
  ];
  return statuses.flatMap(({ name, imageID }) => {
    const image = asked.get(name);
    const digest = /sha256:[0-9a-f]{64}/.exec(imageID)?.[0] ?? '';
    if (!image || digest === '') return [];
    const where = `${pod.metadata.namespace}/${pod.metadata.name}`;
    return [{ image, digest, pod: where, node: spec.nodeName ?? '' }];
  });
}

/** The registry of the cluster itself: what it holds was built or imported inside. */
const INTERNAL = /^image-registry\.openshift-image-registry\.svc(?::\d+)?$/;

type Origin = 'mirror' | 'mirror-or-outside' | 'outside' | 'inside';

/** Where the nodes would have looked for an image, by the rules they have. */
function originOf(image: string, conf: RegistriesConf, mirrors: ReadonlySet<string>): Origin {
  const reference = parseReference(image);
  if (INTERNAL.test(reference.registry)) return 'inside';
  const hosts = pullEndpoints(conf, reference).endpoints.map(({ reference: one }) =>
    hostOf(repositoryName(one)),
  );
  const inside = hosts.filter((host) => mirrors.has(host));
  if (inside.length === 0) return 'outside';
  return inside.length === hosts.length ? 'mirror' : 'mirror-or-outside';
}

/** Hosts that count as the mirror: the one that was named, or all that mirror rules lead to. */
function mirrorHosts({ expected, registries }: ClusterSnapshot): ReadonlySet<string> {
  if (expected.mirror !== undefined) return new Set([expected.mirror]);
  const all = [...registries.values()].flatMap((conf) =>
    conf.registries.flatMap(({ mirrors }) => mirrors.map(({ location }) => hostOf(location))),
  );
  return new Set(all);
}

const POOL_LABEL = 'node-role.kubernetes.io/';

/** The rules that count on a node: those of the pool by whose name it goes, the more special first. */
function confOf(snapshot: ClusterSnapshot, node: string): RegistriesConf | undefined {
  const labels = snapshot.nodes.find(({ metadata }) => metadata.name === node)?.metadata.labels;
  const roles = Object.keys(labels ?? {})
    .filter((label) => label.startsWith(POOL_LABEL))
    .map((label) => label.slice(POOL_LABEL.length))
    .map((role) => (role === 'control-plane' ? 'master' : role));
  const general = ['master', 'worker'];
  const special = roles.filter((role) => !general.includes(role));
  const pool = [...special, ...general.filter((role) => roles.includes(role))].find((role) =>
    snapshot.registries.has(role),
  );
  return pool === undefined ? undefined : snapshot.registries.get(pool);
}

/**
 * That the cluster cannot get out, in its own words: it asks for updates on the internet, and hears
 * nothing. Where it was told not to ask, nothing follows.
 */
function cannotGetOut({ versions }: ClusterSnapshot): string | undefined {
  const retrieved = versions[0] && conditionOf(versions[0], 'RetrievedUpdates');
  if (retrieved?.status !== 'False' || retrieved.reason === 'NoChannel') return undefined;
  return `RetrievedUpdates=False (${retrieved.reason}): the cluster reached no update service outside`;
}

/** That each of these was handed out by the mirror, as its own log has it: then it came from nowhere else. */
function wereServed(
  { expected }: ClusterSnapshot,
  open: readonly RunningImage[],
): string | undefined {
  const { served, wayOut } = expected;
  if (wayOut) return 'the site has a way out by intention';
  const digestsOf = ({ image, digest }: RunningImage) => [digest, parseReference(image).digest];
  const isServed = (one: RunningImage) =>
    digestsOf(one).some((digest) => digest !== undefined && served?.has(digest));
  return open.every(isServed)
    ? 'the access log of the mirror shows that each of them was pulled from there'
    : undefined;
}

export const provenanceCheck: Check = {
  id: 'provenance',
  title: 'Every image that runs came through the mirror',
  look: (snapshot) => provenance(snapshot),
};

function provenance(snapshot: ClusterSnapshot): CheckClaim & { readonly outcome: CheckOutcome } {
  const mirrors = mirrorHosts(snapshot);
  const images = snapshot.pods.flatMap(podImages);
  if (images.length === 0)
    return { outcome: 'unknown', message: 'no pod says which image it runs' };
  const evidence: string[] = [];
  const open: RunningImage[] = [];
  for (const one of images) {
    const conf = confOf(snapshot, one.node);
    const origin = conf ? originOf(one.image, conf, mirrors) : 'outside';
    if (origin === 'outside')
      evidence.push(
        `${one.pod}: ${one.image}: no rule of ${one.node || 'its node'} leads to the mirror`,
      );
    else if (origin !== 'inside' && !isMirrored(snapshot, one))
      evidence.push(`${one.pod}: ${one.image}: ${one.digest} is not in the mirror`);
    if (origin === 'mirror-or-outside') open.push(one);
  }
  return verdict(snapshot, images, [...new Set(evidence)], open);
}

/** The name may hold the digest of an index, and what runs is one image of it. */
function isMirrored({ expected }: ClusterSnapshot, { image, digest }: RunningImage): boolean {
  const { mirrored } = expected;
  const asked = parseReference(image).digest;
  return !mirrored || mirrored.has(digest) || (asked !== undefined && mirrored.has(asked));
}

function verdict(
  snapshot: ClusterSnapshot,
  images: readonly RunningImage[],
  evidence: readonly string[],
  open: readonly RunningImage[],
): CheckClaim & { readonly outcome: CheckOutcome } {
  const count = counted(new Set(images.map(({ digest }) => digest)).size, 'image');
  if (evidence.length > 0)
    return fails({
      message: `${evidence.length} of the containers run what did not come through the mirror`,
      evidence,
      commands: ['atoll mirror sync', 'atoll apply'],
    });
  if (open.length === 0) return holds(`${count}, and nodes are told to ask nobody else`);
  const proof = cannotGetOut(snapshot) ?? wereServed(snapshot, open);
  const sources = new Set(open.map(({ image }) => repositoryName(parseReference(image))));
  const fallback = [...sources]
    .toSorted()
    .map((name) => `${name}: nodes may ask its source when the mirror has not got it`);
  if (proof !== undefined) return holds(`${count}, proven`, [proof, ...fallback]);
  return fails({
    message: `${count} have rules to the mirror, but could have come from outside`,
    evidence: fallback,
    commands: ['set mirrorSourcePolicy: NeverContactSource in the mirror sets, then: atoll apply'],
  });
}

const PULL_TROUBLE =
  /^(?:ImagePullBackOff|ErrImagePull|InvalidImageName|ImageInspectError|SignatureValidationFailed)$/;

export const pullsCheck: Check = {
  id: 'pulls',
  title: 'No pod waits for an image',
  look({ pods }) {
    const evidence = pods.flatMap((pod) => {
      const { status } = podSchema.parse(pod);
      return [...status.initContainerStatuses, ...status.containerStatuses]
        .filter(({ state }) => PULL_TROUBLE.test(state.waiting?.reason ?? ''))
        .map(
          ({ name, state }) =>
            `${pod.metadata.namespace}/${pod.metadata.name} ${name}: ${state.waiting?.reason}`,
        );
    });
    if (evidence.length === 0) return holds(counted(pods.length, 'pod'));
    const [namespace = '', name = ''] = (evidence[0] ?? '').split(' ')[0]?.split('/') ?? [];
    return fails({
      message: `${counted(evidence.length, 'container')} without an image`,
      evidence,
      commands: [`oc -n ${namespace} describe pod ${name}`, 'atoll mirror retry'],
    });
  },
};
