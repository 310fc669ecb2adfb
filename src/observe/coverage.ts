import type { UnreadEvidence } from './source-files.ts';

interface Part {
  readonly pattern: RegExp;
  readonly missing: string;
}

/** What a complete log bundle has, and what is lost without it. */
const BUNDLE_PARTS: readonly Part[] = [
  {
    pattern: /(?:^|\/)bootstrap\/journals\/journal\.log/,
    missing:
      'The whole journal is not there: what node-image-pull did cannot be seen anywhere else',
  },
  {
    pattern: /(?:^|\/)bootstrap\/services\//,
    missing:
      'No service records: either none of the services ever started or they were not gathered',
  },
  {
    pattern: /(?:^|\/)control-plane\//,
    missing: 'No logs of control plane machines: gather again with --master for each of them',
  },
  {
    pattern: /(?:^|\/)resources\/.*\.json/,
    missing: 'No API objects: the API did not answer when the logs were gathered',
  },
  {
    pattern: /(?:^|\/)serial\//,
    missing: 'No console logs: needs metadata.json and cloud credentials',
  },
];

const BUNDLE =
  /(?:^|\/)(?:log-bundle-[^/]*\/|bootstrap\/(?:journals|services|containers)\/|control-plane\/)/;

/** Follows which files were read, to say in the end what was not there to be looked at. */
export function createCoverage() {
  const found = new Set<Part>();
  let isBundle = false;
  const unread: UnreadEvidence[] = [];
  return {
    file(path: string): void {
      isBundle ||= BUNDLE.test(path);
      for (const part of BUNDLE_PARTS) if (part.pattern.test(path)) found.add(part);
    },
    unread(one: UnreadEvidence): void {
      unread.push(one);
    },
    /** Everything that could not be looked at, files first. */
    gaps(): readonly UnreadEvidence[] {
      const missing = isBundle ? BUNDLE_PARTS.filter((part) => !found.has(part)) : [];
      return [...unread, ...missing.map((part) => ({ path: 'log bundle', reason: part.missing }))];
    },
  };
}
