import semver, { type SemVer } from 'semver';

/** By precedence, and between rebuilds of one version by their build. */
export function compareVersions(a: SemVer, b: SemVer): number {
  return semver.compareBuild(a, b);
}

export type VersionTest = (version: SemVer) => boolean;

const OPERATOR = /^(?<operator>>=|<=|!=|==|>|<|=|!)?\s*v?(?<version>[0-9xX*].*)$/;
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
  const parts = OPERATOR.exec(word)?.groups;
  if (!parts) return undefined;
  const { operator = '', version = '' } = parts;
  const negated = operator.startsWith('!');
  const comparison = negated || operator === '==' ? '' : operator;
  try {
    const range = new semver.Range(`${comparison}${version}`, { includePrerelease: true });
    return (candidate) => range.test(candidate) !== negated;
  } catch {
    return undefined;
  }
}
