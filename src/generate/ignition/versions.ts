import { AtollError } from '../../core/errors.ts';
import { IGNITION_VERSIONS, type IgnitionVersion } from './config.ts';

export function parseIgnitionVersion(text: string): IgnitionVersion {
  const full = /^\d+\.\d+$/.test(text) ? `${text}.0` : text;
  const known = IGNITION_VERSIONS.find((version) => version === full);
  if (known) return known;
  throw new AtollError('INPUT_INVALID', `Cannot write Ignition spec "${text}"`, {
    hint: `Choose one of ${IGNITION_VERSIONS.join(', ')}`,
  });
}

/** The newer of two specs; both are of generation 3, where newer ones read older configs. */
export function newerVersion(a: string, b: string): string {
  return minorOf(a) >= minorOf(b) ? a : b;
}

const minorOf = (version: string): number => Number(version.split('.')[1] ?? 0);
