import { AtollError } from '../../core/errors.ts';

/** For platforms whose files atoll can write, and no more. */
export function platformNotBuilt(name: string): AtollError {
  return new AtollError('NOT_BUILT', `Cannot work on platform "${name}" yet`, {
    hint: '"atoll render" writes the files for it; with hosts of your own use platform none',
  });
}

/** For platforms on which nobody can look at the cluster yet. */
export function verifyNotBuilt(): AtollError {
  return new AtollError(
    'NOT_BUILT',
    'Cannot verify a running cluster: the verify stage knows only labs yet',
    {
      hint: 'Look at it with "oc get clusterversion,clusteroperators,nodes", or skip the stage: steps.skip: [verify]',
    },
  );
}
