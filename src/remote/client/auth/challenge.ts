/** One authentication scheme that a server offers. Scheme and parameter names are in lower case. */
export interface Challenge {
  readonly scheme: string;
  readonly params: Readonly<Record<string, string>>;
}

const PART =
  /\s*,?\s*(?<name>[!#$%&'*+.^_`|~\w-]+)(?:\s*=\s*(?:"(?<quoted>(?:[^"\\]|\\.)*)"|(?<bare>[^\s,"]*)))?/y;

/** Reads `WWW-Authenticate`: several challenges may share one header, and quotes are optional. */
export function parseChallenges(header: string | undefined): Challenge[] {
  const challenges: { scheme: string; params: Record<string, string> }[] = [];
  PART.lastIndex = 0;
  for (let match = PART.exec(header ?? ''); match; match = PART.exec(header ?? '')) {
    const { name = '', quoted, bare } = match.groups ?? {};
    const value = quoted?.replace(/\\(.)/g, '$1') ?? bare;
    // A word without a value begins the next challenge.
    if (value === undefined) challenges.push({ scheme: name.toLowerCase(), params: {} });
    else Object.assign(challenges.at(-1)?.params ?? {}, { [name.toLowerCase()]: value });
  }
  return challenges;
}
