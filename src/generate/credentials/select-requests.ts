import { type CredentialsRequest, orderedRequests } from './credentials-request.ts';

export interface SelectionInput {
  /** Such as `AWSProviderSpec`. */
  readonly kind: string;
  /** Their operators do not exist, nor do their namespaces: a Secret there breaks the bootstrap. */
  readonly disabledCapabilities?: readonly string[] | undefined;
  readonly clusterProfile?: string | undefined;
  readonly featureSet?: string | undefined;
}

export interface RequestSelection {
  readonly selected: readonly CredentialsRequest[];
  readonly skipped: readonly SkippedRequest[];
}

export interface SkippedRequest {
  readonly name: string;
  readonly reason: string;
}

const DELETE = 'release.openshift.io/delete';
const CAPABILITY = 'capability.openshift.io/name';
const FEATURE_SET = 'release.openshift.io/feature-set';
const PROFILE = 'include.release.openshift.io/';
const DEFAULT_PROFILE = 'self-managed-high-availability';

/** The requests whose Secrets this cluster needs, as the cluster itself will decide, and the rest with why. */
export function selectRequests(
  requests: readonly CredentialsRequest[],
  input: SelectionInput,
): RequestSelection {
  const judged = requests.map((request) => ({ request, reason: reasonToSkip(request, input) }));
  const skipped = judged.flatMap(({ request: { name }, reason }) =>
    reason === undefined ? [] : [{ name, reason }],
  );
  const selected = judged.flatMap(({ request, reason }) => (reason === undefined ? [request] : []));
  return { selected: orderedRequests(selected), skipped };
}

function reasonToSkip(
  { kind, annotations }: CredentialsRequest,
  input: SelectionInput,
): string | undefined {
  if (kind !== input.kind) return `it is for another cloud (${kind})`;
  if (annotations[DELETE] === 'true') return 'the release removes it';
  const off = offCapability(annotations[CAPABILITY], input.disabledCapabilities ?? []);
  if (off !== undefined) return `the capability ${off} is off`;
  const sets = annotations[FEATURE_SET]?.split(',').map((set) => set.trim());
  const featureSet = input.featureSet ?? 'Default';
  if (sets && !sets.includes(featureSet)) return `it is only for ${sets.join(', ')}`;
  return otherProfile(annotations, input.clusterProfile ?? DEFAULT_PROFILE);
}

/** `A+B` needs both. */
function offCapability(
  needed: string | undefined,
  disabled: readonly string[],
): string | undefined {
  return needed?.split('+').find((capability) => disabled.includes(capability));
}

/** A request without any profile was written by hand, and is meant. */
function otherProfile(
  annotations: Readonly<Record<string, string>>,
  profile: string,
): string | undefined {
  const profiles = Object.keys(annotations).filter((key) => key.startsWith(PROFILE));
  if (profiles.length === 0 || annotations[`${PROFILE}${profile}`] === 'true') return undefined;
  return `it is not for the profile ${profile}`;
}
