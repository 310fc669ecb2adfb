import { sortedUnique } from '../../core/order.ts';
import { clusterObject } from '../cluster-object.ts';

/** Samples are removed, or taken from a mirror. */
export type SamplesInput =
  | { readonly removed: true }
  | { readonly registry: string; readonly skippedImageStreams?: readonly string[] | undefined };

/** `config.samples.operator.openshift.io/cluster`, so that no image stream asks the internet. */
export function samplesConfig(input: SamplesInput) {
  const spec = 'removed' in input ? { managementState: 'Removed' } : managedSpec(input);
  return clusterObject('samples.operator.openshift.io/v1', 'Config', { name: 'cluster' }, spec);
}

function managedSpec(input: Extract<SamplesInput, { registry: string }>): Record<string, unknown> {
  const skipped = sortedUnique(input.skippedImageStreams ?? []);
  return {
    managementState: 'Managed',
    samplesRegistry: input.registry,
    ...(skipped.length > 0 ? { skippedImagestreams: skipped } : {}),
  };
}
