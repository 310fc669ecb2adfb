import semver from 'semver';

/** Releases have full versions: `4.18.1`, `4.19.0-rc.2`, `4.15.0-0.okd-2024-03-10-010116`. */
export function isReleaseVersion(text: string): boolean {
  return semver.valid(text) !== null && !text.startsWith('v');
}

const LENIENT = /^v?(?<major>\d+)(?:\.(?<minor>\d+))?(?:\.(?<patch>\d+))?(?<rest>[-+].*)?$/;

/** Operators are versioned less strictly: `1.2` and `v1.2.3` mean what they seem to. */
export function parseLenientVersion(text: string): semver.SemVer | undefined {
  const parts = LENIENT.exec(text.trim())?.groups;
  if (!parts) return undefined;
  const numbers = [parts.major, parts.minor ?? '0', parts.patch ?? '0'].map((n) => BigInt(n ?? 0));
  return semver.parse(`${numbers.join('.')}${parts.rest ?? ''}`) ?? undefined;
}

/** Order of two lenient versions; undefined where one cannot be read. */
export function compareLenient(a: string, b: string): number | undefined {
  const [left, right] = [parseLenientVersion(a), parseLenientVersion(b)];
  return left && right ? semver.compareBuild(left, right) : undefined;
}
