import type { OperatorPackage, VersionRange } from '../../../content/image-set/image-set.ts';
import { parseLenientVersion } from '../../../content/image-set/versions.ts';
import { AtollError } from '../../../core/errors.ts';

const FLAG = /^(?<name>[^:@\s]+)(?::(?<channel>[^@\s]+))?(?:@(?<range>\S+))?$/;
const NO_RANGE: VersionRange = {
  minVersion: undefined,
  maxVersion: undefined,
  minBundle: undefined,
};

/** Reads `NAME[:CHANNEL][@VERSION|@MIN..|@..MAX|@MIN..MAX]`; flags of one name are one package. */
export function parsePackageFlags(flags: readonly string[]): OperatorPackage[] {
  const packages = new Map<string, OperatorPackage>();
  for (const flag of flags) {
    const next = parsePackageFlag(flag);
    const known = packages.get(next.name);
    packages.set(next.name, known ? merged(known, next, flag) : next);
  }
  return [...packages.values()];
}

function parsePackageFlag(flag: string): OperatorPackage {
  const parts = FLAG.exec(flag)?.groups;
  if (!parts?.name) throw misread(flag, 'it is not NAME[:CHANNEL][@RANGE]');
  const range = parts.range === undefined ? NO_RANGE : parseRange(parts.range, flag);
  const { name, channel } = parts;
  if (channel === undefined) return { name, defaultChannel: undefined, channels: [], ...range };
  // A single channel on the command line becomes the default channel.
  const channels = [{ name: channel, ...range }];
  return { name, defaultChannel: channel, channels, ...NO_RANGE };
}

function parseRange(text: string, flag: string): VersionRange {
  const [min, max = min] = text.split('..', 2);
  for (const bound of [min, max]) {
    if (bound && !parseLenientVersion(bound)) throw misread(flag, `"${bound}" is not a version`);
  }
  return { minVersion: min || undefined, maxVersion: max || undefined, minBundle: undefined };
}

function merged(known: OperatorPackage, next: OperatorPackage, flag: string): OperatorPackage {
  if (known.channels.length === 0 || next.channels.length === 0) {
    throw misread(flag, 'the package is given twice');
  }
  return { ...known, channels: [...known.channels, ...next.channels] };
}

function misread(flag: string, found: string): AtollError {
  return new AtollError('USAGE', `Cannot read --package "${flag}": ${found}`, {
    hint: 'Write NAME, NAME:CHANNEL, NAME@1.2.3, NAME@1.2.0..1.4.0, NAME:CHANNEL@1.2.0..',
  });
}
