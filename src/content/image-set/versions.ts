// Of semver the few files that every image set is read with.
import type { SemVer } from 'semver';
import compareBuild from 'semver/functions/compare-build.js';
import parse from 'semver/functions/parse.js';
import valid from 'semver/functions/valid.js';

/** Releases have full versions: `4.18.1`, `4.19.0-rc.2`, `4.15.0-0.okd-2024-03-10-010116`. */
export function isReleaseVersion(text: string): boolean {
  return valid(text) !== null && !text.startsWith('v');
}

const LENIENT = /^v?(?<major>\d+)(?:\.(?<minor>\d+))?(?:\.(?<patch>\d+))?(?<rest>[-+].*)?$/;

/** Operators are versioned less strictly: `1.2` and `v1.2.3` mean what they seem to. */
export function parseLenientVersion(text: string): SemVer | undefined {
  const parts = LENIENT.exec(text.trim())?.groups;
  if (!parts) return undefined;
  const numbers = [parts.major, parts.minor ?? '0', parts.patch ?? '0'].map((n) => BigInt(n ?? 0));
  return parse(`${numbers.join('.')}${parts.rest ?? ''}`) ?? undefined;
}

/** Order of two lenient versions; undefined where one cannot be read. */
export function compareLenient(a: string, b: string): number | undefined {
  const [left, right] = [parseLenientVersion(a), parseLenientVersion(b)];
  return left && right ? compareBuild(left, right) : undefined;
}
