import { AtollError } from '../core/errors.ts';

/** What of a release decides how a file is written. */
export interface ReleaseVersion {
  readonly major: number;
  readonly minor: number;
}

/** The first release of something. */
export type Since = `${number}.${number}`;

/** Reads `4.18`, `4.18.1`, `4.18.0-rc.2`. */
export function parseReleaseVersion(text: string): ReleaseVersion {
  const [, major, minor] = /^(\d+)\.(\d+)(?:\.\d+)?(?:[-+].+)?$/.exec(text) ?? [];
  if (major !== undefined && minor !== undefined) {
    return { major: Number(major), minor: Number(minor) };
  }
  throw new AtollError('INPUT_INVALID', `Cannot read release version "${text}"`, {
    hint: 'Write it as "4.18" or "4.18.1"',
  });
}

/** `4.18` of `4.18.1`. */
export const minorOf = (version: string): string => version.split('.').slice(0, 2).join('.');

/** Whether a release is this one or newer. An unknown release is taken for a new one. */
export function isAtLeast(version: ReleaseVersion | undefined, wanted: Since): boolean {
  if (!version) return true;
  const { major, minor } = parseReleaseVersion(wanted);
  return version.major > major || (version.major === major && version.minor >= minor);
}

/** The last minor version of a major one: 4.23 and 5.0 are made from one code base, and 5.0 follows. */
const LAST_MINOR: Readonly<Record<number, number>> = { 4: 23 };

/** Minor versions from one release to another, both included, also into the next major version. */
export function minorsBetween(from: ReleaseVersion, to: ReleaseVersion): ReleaseVersion[] {
  const versions: ReleaseVersion[] = [];
  for (let { major, minor } = from; major <= to.major; major += 1, minor = 0) {
    const last = major === to.major ? to.minor : (LAST_MINOR[major] ?? minor);
    for (; minor <= last; minor += 1) versions.push({ major, minor });
  }
  return versions;
}
