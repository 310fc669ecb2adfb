import { sortedUnique } from '../order.ts';

/** Samples are removed, or taken from a mirror. */
export type SamplesInput =
  | { readonly removed: true }
  | { readonly registry: string; readonly skippedImageStreams?: readonly string[] | undefined };

export interface SamplesConfig {
  readonly apiVersion: 'samples.operator.openshift.io/v1';
  readonly kind: 'Config';
  readonly metadata: { readonly name: 'cluster' };
  readonly spec: Readonly<Record<string, unknown>>;
}

/** `config.samples.operator.openshift.io/cluster`, so that no image stream asks the internet. */
export function samplesConfig(input: SamplesInput): SamplesConfig {
  return {
    apiVersion: 'samples.operator.openshift.io/v1',
    kind: 'Config',
    metadata: { name: 'cluster' },
    spec: 'removed' in input ? { managementState: 'Removed' } : managedSpec(input),
  };
}

function managedSpec(input: Extract<SamplesInput, { registry: string }>): Record<string, unknown> {
  const skipped = sortedUnique(input.skippedImageStreams ?? []);
  return {
    managementState: 'Managed',
    samplesRegistry: input.registry,
    ...(skipped.length > 0 ? { skippedImagestreams: skipped } : {}),
  };
}
