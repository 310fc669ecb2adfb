import semver, { type SemVer } from 'semver';
import type { VersionRange } from '../../image-set/image-set.ts';
import { parseLenientVersion } from '../../image-set/versions.ts';

export function hasBounds({ minVersion, maxVersion, minBundle }: VersionRange): boolean {
  return minVersion !== undefined || maxVersion !== undefined || minBundle !== undefined;
}

/** `1.13.0 to 1.15.0`, for messages. */
export function formatBounds({ minVersion, maxVersion, minBundle }: VersionRange): string {
  const min = minVersion ?? minBundle;
  if (min !== undefined && min === maxVersion) return `version ${min}`;
  if (min === undefined) return maxVersion ? `versions up to ${maxVersion}` : 'any version';
  return maxVersion === undefined ? `versions from ${min}` : `versions ${min} to ${maxVersion}`;
}

/** One exact version: the whole of it is written, and both bounds are the same. */
export function exactVersion({ minVersion, maxVersion }: VersionRange): SemVer | undefined {
  if (minVersion === undefined || minVersion !== maxVersion) return undefined;
  return isWhole(minVersion) ? parseLenientVersion(minVersion) : undefined;
}

const isWhole = (version: string) => /^v?\d+\.\d+\.\d+/.test(version);

/**
 * Whether a version is within the bounds, by precedence alone: pre-releases count by their order, and a
 * rebuild (`1.2.3+0.1700p`) is its version. `maxVersion: "1.13"` takes in every 1.13.
 */
export function boundsTest({ minVersion, maxVersion }: VersionRange): (version: SemVer) => boolean {
  const words = [
    ...(minVersion === undefined ? [] : [`>=${bare(minVersion)}`]),
    ...(maxVersion === undefined ? [] : [`<=${bare(maxVersion)}`]),
  ];
  const range = new semver.Range(words.join(' '), { includePrerelease: true });
  return (version) => range.test(version);
}

/** As ranges want it: `1.13` stays open, everything else is spelled out. */
function bare(version: string): string {
  const parsed = parseLenientVersion(version);
  const isOpen = parsed?.prerelease.length === 0 && !isWhole(version.trim());
  if (!isOpen) return parsed?.version ?? version;
  return /^v?\d+\./.test(version.trim()) ? `${parsed.major}.${parsed.minor}` : `${parsed.major}`;
}

/** A bound that is written out and is no version of the operator: often a slip of the finger. */
export function strangeBounds(
  { minVersion, maxVersion }: VersionRange,
  versions: readonly SemVer[],
): string[] {
  return [...new Set([minVersion, maxVersion])].filter((bound): bound is string => {
    const parsed = bound !== undefined && isWhole(bound) ? parseLenientVersion(bound) : undefined;
    return parsed !== undefined && !versions.some((version) => version.compare(parsed) === 0);
  });
}
