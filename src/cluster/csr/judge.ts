import { isIP } from 'node:net';
import type { CertificateRequest } from './certificate-request.ts';

/** A machine that may join. */
export interface ExpectedNode {
  readonly name: string;
  /** Where they are known, its certificate may name only these. */
  readonly addresses?: readonly string[] | undefined;
}

/** A node as the cluster knows it. */
export interface JoinedNode {
  readonly name: string;
  /** What the node says of itself: addresses and host names. */
  readonly addresses: readonly string[];
}

export interface Judgement {
  /** `approve`; `leave`: a person has to look; `foreign`: not about a node, so not ours. */
  readonly verdict: 'approve' | 'leave' | 'foreign';
  readonly node?: string | undefined;
  readonly reason: string;
}

const CLIENT_SIGNER = 'kubernetes.io/kube-apiserver-client-kubelet';
const SERVING_SIGNER = 'kubernetes.io/kubelet-serving';
const BOOTSTRAPPER = 'system:serviceaccount:openshift-machine-config-operator:node-bootstrapper';
const BOOTSTRAPPER_GROUPS = [
  'system:serviceaccounts:openshift-machine-config-operator',
  'system:serviceaccounts',
  'system:authenticated',
];
const NODE_USER = 'system:node:';
const NODE_GROUP = 'system:nodes';
const CLIENT_USAGES = ['digital signature', 'client auth'];
const SERVING_USAGES = ['digital signature', 'server auth'];
/** Only RSA keys need it, so it may be there or not. */
const OPTIONAL_USAGE = 'key encipherment';

/**
 * Whether a request may be granted. The Ignition file that lets a machine ask is served to everyone
 * on the network, so a request counts only for a machine that is expected, from whom it must come
 * from, for what a kubelet needs and for no name but its own.
 */
export function judge(
  request: CertificateRequest,
  expected: readonly ExpectedNode[],
  joined: readonly JoinedNode[],
): Judgement {
  if (request.signer !== CLIENT_SIGNER && request.signer !== SERVING_SIGNER)
    return { verdict: 'foreign', reason: `signer "${request.signer}" is not about nodes` };
  const isClient = request.signer === CLIENT_SIGNER;
  const name = nodeNameIn(request);
  const host = expected.find((one) => one.name === name);
  const node = joined.find((one) => one.name === name);
  const problem =
    subjectProblem(request, name) ??
    (host ? undefined : `no machine "${name}" is expected`) ??
    (host && isClient ? clientProblem(request, node) : undefined) ??
    (host && !isClient ? servingProblem(request, host, node) : undefined);
  if (problem !== undefined) return { verdict: 'leave', node: name, reason: problem };
  const reason = isClient
    ? 'an expected machine asks to join'
    : 'a node asks to serve its own names';
  return { verdict: 'approve', node: name, reason };
}

function nodeNameIn({ subject }: CertificateRequest): string | undefined {
  const [common = '', ...more] = subject.commonNames;
  if (more.length > 0 || !common.startsWith(NODE_USER)) return undefined;
  return common.slice(NODE_USER.length) || undefined;
}

function subjectProblem(request: CertificateRequest, name: string | undefined): string | undefined {
  const { subject, otherNames } = request;
  if (name === undefined)
    return `its subject is ${subject.commonNames.join(', ') || 'empty'}, not a node`;
  if (!isSame(subject.organizations, [NODE_GROUP]))
    return `its organization is ${subject.organizations.join(', ') || 'missing'}, not ${NODE_GROUP}`;
  const odd = [...subject.others, ...otherNames];
  return odd.length > 0 ? `it asks for ${odd.join(', ')} too` : undefined;
}

function clientProblem(
  request: CertificateRequest,
  node: JoinedNode | undefined,
): string | undefined {
  const { username, groups, dnsNames, addresses } = request;
  if (username !== BOOTSTRAPPER) return `"${username}" asks for it, not the bootstrapper of nodes`;
  if (!isSame(groups, BOOTSTRAPPER_GROUPS)) return `its groups are ${groups.join(', ')}`;
  const usages = usageProblem(request.usages, CLIENT_USAGES);
  if (usages !== undefined) return usages;
  if (dnsNames.length + addresses.length > 0) return 'a client certificate names no hosts';
  // Renewals are signed by the cluster itself; a second first request may be somebody else.
  return node ? `a node "${node.name}" has joined already` : undefined;
}

function servingProblem(
  request: CertificateRequest,
  host: ExpectedNode,
  node: JoinedNode | undefined,
): string | undefined {
  const { username, groups, dnsNames, addresses } = request;
  if (username !== `${NODE_USER}${host.name}`) return `"${username}" asks for it, not the node`;
  if (!groups.includes(NODE_GROUP)) return `its groups are ${groups.join(', ')}`;
  const usages = usageProblem(request.usages, SERVING_USAGES);
  if (usages !== undefined) return usages;
  if (!node) return `there is no node "${host.name}" yet`;
  if (dnsNames.length + addresses.length === 0) return 'it names no host';
  const own = new Set([host.name, ...(host.addresses ?? node.addresses)].map(canonical));
  const strange = [...dnsNames, ...addresses].filter((one) => !own.has(canonical(one)));
  return strange.length > 0 ? `${strange.join(', ')} is not of that node` : undefined;
}

function usageProblem(usages: readonly string[], wanted: readonly string[]): string | undefined {
  const found = usages.filter((usage) => usage !== OPTIONAL_USAGE);
  return isSame(found, wanted) ? undefined : `its usages are ${usages.join(', ')}`;
}

/** IPv6 has many spellings. */
function canonical(text: string): string {
  return isIP(text) === 6 ? new URL(`http://[${text}]`).hostname.slice(1, -1) : text.toLowerCase();
}

const isSame = (found: readonly string[], wanted: readonly string[]): boolean =>
  found.length === wanted.length && wanted.every((one) => found.includes(one));
