import { testNearLines, testSaidLines } from '../../../../test/support/readings.ts';
import { STATE_READINGS } from './state-readings.ts';

testSaidLines(
  [
    {
      line: 'condition Degraded=True (LidMissing): crate 7 is without its lid',
      id: 'says-condition',
      cause: 'It is Degraded (LidMissing): crate 7 is without its lid',
    },
    {
      line: 'condition Available=False: the depot waits for its crates',
      id: 'says-condition',
      cause: 'It is not Available: the depot waits for its crates',
    },
    {
      line: 'depot-credential    4.15.28   True    True    True    139m    1 of 7 depots are out of step',
      id: 'says-operator-degraded',
      cause: 'The cluster operator depot-credential is degraded (1 of 7 depots are out of step)',
    },
    {
      line: 'depot     4.15.28   False   True    False   5m    the depot waits for its crates',
      id: 'says-operator-unavailable',
      cause: 'The cluster operator depot is not available (the depot waits for its crates)',
    },
  ],
  STATE_READINGS,
);

testNearLines([
  ['depot     4.15.28   True   False   False   5m    all crates are sealed'],
  ['depot     4.15.28   True   True    False   5m    working towards 4.15.29'],
]);
