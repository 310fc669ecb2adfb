import { digestOf } from '../../oci/digest.ts';

const MAX_CHARACTERS = 64;
const HASH_CHARACTERS = 8;

/** The IAM user of a request: the same wherever it is computed, and never longer than IAM takes. */
export function userName(site: string, request: string): string {
  const name = `${site}-${request}`;
  if (name.length <= MAX_CHARACTERS) return name;
  const hash = digestOf(name).slice('sha256:'.length, 'sha256:'.length + HASH_CHARACTERS);
  return `${name.slice(0, MAX_CHARACTERS - HASH_CHARACTERS - 1)}-${hash}`;
}
