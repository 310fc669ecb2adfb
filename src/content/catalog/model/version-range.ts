import semver, { type SemVer } from 'semver';

/** By precedence, and between rebuilds of one version by their build. */
export function compareVersions(a: SemVer, b: SemVer): number {
  return semver.compareBuild(a, b);
}

export type VersionTest = (version: SemVer) => boolean;

const WORD =
  /^(?<operator>>=|<=|!=|==|>|<|=|!)?v?(?<major>\d+|[xX*])(?:\.(?<minor>\d+|[xX*]))?(?:\.(?<patch>\d+|[xX*]))?(?<rest>[-+].+)?$/;
const MAX_LENGTH = 2048;

/**
 * Reads a range as OLM does (`>=1.2.0 <2.0.0 || 3.x`): plain precedence, so that pre-releases count by
 * their order. Undefined when it cannot be read.
 */
export function parseVersionRange(text: string): VersionTest | undefined {
  if (text.trim() === '' || text.length > MAX_LENGTH) return undefined;
  const alternatives = text.split('||').map(parseAll);
  if (alternatives.some((test) => test === undefined)) return undefined;
  return (version) => alternatives.some((test) => test?.(version));
}

function parseAll(text: string): VersionTest | undefined {
  // An operator may stand apart from its version.
  const words = text
    .replace(/([<>=!])\s+/g, '$1')
    .trim()
    .split(/\s+/);
  const tests = words.map(parseOne);
  if (words[0] === '' || tests.some((test) => test === undefined)) return undefined;
  return (version) => tests.every((test) => test?.(version));
}

function parseOne(word: string): VersionTest | undefined {
  const parts = WORD.exec(word)?.groups;
  const span = parts && spanOf(parts);
  if (!span) return undefined;
  const { low, next } = span;
  const below = (version: SemVer) => version.compare(low) < 0;
  const upTo = (version: SemVer) => (next ? version.compare(next) < 0 : version.compare(low) <= 0);
  switch (parts?.operator) {
    case '<':
      return below;
    case '<=':
      return upTo;
    case '>':
      return (version) => !upTo(version);
    case '>=':
      return (version) => !below(version);
    case '!':
    case '!=':
      return (version) => below(version) || !upTo(version);
    default:
      return (version) => !below(version) && upTo(version);
  }
}

interface Span {
  readonly low: SemVer;
  /** Where `1.x` ends: at 2.0.0. Undefined for one version. */
  readonly next: SemVer | undefined;
}

function spanOf(parts: Readonly<Record<string, string | undefined>>): Span | undefined {
  const written = [parts.major, parts.minor, parts.patch];
  const open = written.findIndex((part) => !isNumber(part));
  const numbers = written.map((part, at) => (open < 0 || at < open ? Number(part) : 0));
  const low = semver.parse(`${numbers.join('.')}${parts.rest ?? ''}`);
  // A part after an open one, as in "1.x.3", means nothing.
  const isOdd = open >= 0 && (parts.rest !== undefined || written.slice(open).some(isNumber));
  if (!low || open === 0 || isOdd) return undefined;
  const after = numbers.map((number, at) => (at === open - 1 ? number + 1 : number));
  return { low, next: open < 0 ? undefined : (semver.parse(after.join('.')) ?? undefined) };
}

const isNumber = (part: string | undefined) => part !== undefined && /^\d+$/.test(part);
