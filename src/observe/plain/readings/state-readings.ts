import { CONDITION } from '../conditions.ts';
import { because, named, type PlainReading, word } from '../plain-reading.ts';

/** What tables and conditions of a cluster tell of a thing that is not as it must be. */
export const STATE_READINGS: readonly PlainReading[] = [
  {
    id: 'says-operator-degraded',
    pattern:
      /^\s*(?<operator>[a-z][\w-]+) +\d+\.\d+\S* +(?:(?:True|False|Unknown) +){2}True +\d\S* +(?<why>\S.{11,})$/,
    cause: (found) =>
      `The cluster operator${named(word(found, 'operator'))} is degraded${because(word(found, 'why'))}`,
    remedy: 'Look at what it names, and at "oc describe co" and the logs of that operator',
  },
  {
    id: 'says-operator-unavailable',
    pattern:
      /^\s*(?<operator>[a-z][\w-]+) +\d+\.\d+\S* +False +(?:(?:True|False|Unknown) +){2}\d\S* +(?<why>\S.{11,})$/,
    cause: (found) =>
      `The cluster operator${named(word(found, 'operator'))} is not available${because(word(found, 'why'))}`,
    remedy: 'Look at what it names, and at "oc describe co" and the logs of that operator',
  },
  {
    id: 'says-condition',
    pattern: new RegExp(
      `^${CONDITION}(?<type>\\w+)=(?<status>\\w+)(?: \\((?<reason>[^)]*)\\))?: (?<why>.+)$`,
    ),
    cause: (found) =>
      `It is ${word(found, 'status') === 'True' ? '' : 'not '}${word(found, 'type')}${because(word(found, 'reason'))}: ${word(found, 'why')}`,
    remedy: 'Look at what the condition names, and at the logs of the operator that sets it',
  },
];
