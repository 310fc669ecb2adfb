import type { EvidenceLine } from '../evidence.ts';
import { type Comparison, listed } from './comparison.ts';

const MISSING =
  /manifest unknown|name unknown|repository name not known|\bnot found\b|NAME_UNKNOWN|MANIFEST_UNKNOWN/i;
/** Host, repository, and tag or digest of what was asked. */
const IMAGE =
  /(?:docker:\/\/|["\s])(?<host>[\w.-]+\.[\w.-]+(?::\d+)?|[\w.-]+:\d+)\/(?<repo>[\w./-]+?)(?::(?<tag>[\w.-]+)|@sha256:[0-9a-f]+)(?=["':,\s]|$)/;
const REPOSITORIES = /"repositories"\s*:\s*\[([^\]]*)\]/;
const TAGS = /"name"\s*:\s*"(?<repo>[^"]+)"\s*,\s*"tags"\s*:\s*\[(?<tags>[^\]]*)\]/;
/** A registry answers with so many at most and does not say that there are more. */
const PAGE = 100;

const quotedIn = (list: string): readonly string[] =>
  [...list.matchAll(/"([^"]+)"/g)].map(([, one = '']) => one);

/** An image that a registry does not have, and what it was asked to list. */
export const listedContent: Comparison = (lines) => {
  const missing = lines.find(({ text }) => MISSING.test(text) && IMAGE.test(text));
  const asked = IMAGE.exec(missing?.text ?? '')?.groups;
  if (!missing || !asked?.repo) return undefined;
  for (const line of lines) {
    const cause = byTags(line, asked.repo, asked.tag) ?? byRepositories(line, asked.repo);
    if (cause) return told(cause, missing, line);
  }
  return undefined;
};

function byTags({ text }: EvidenceLine, repo: string, tag: string | undefined): string | undefined {
  const list = TAGS.exec(text)?.groups;
  const tags = quotedIn(list?.tags ?? '');
  if (list?.repo !== repo || tag === undefined || tags.length === 0) return undefined;
  return tags.includes(tag) || tags.length >= PAGE
    ? undefined
    : `The registry has ${repo} with the tags ${listed(tags)}, and not ${tag}, which is asked for`;
}

function byRepositories({ text }: EvidenceLine, repo: string): string | undefined {
  const [, list] = REPOSITORIES.exec(text) ?? [];
  const all = quotedIn(list ?? '');
  if (list === undefined || all.includes(repo) || all.length >= PAGE) return undefined;
  const last = repo.split('/').at(-1) ?? repo;
  const near = all.filter((one) => one.split('/').at(-1) === last);
  const has =
    all.length === 0 ? 'lists no repository at all' : `has ${listed(near.length > 0 ? near : all)}`;
  return `The registry ${has}, and not ${repo}, which is asked for`;
}

const told = (cause: string, missing: EvidenceLine, line: EvidenceLine) => ({
  id: 'compared-listed-content',
  cause,
  remedy:
    'Ask for it by the name it was mirrored under: correct the mirrors (registries.conf, ImageDigestMirrorSet) or the name, or mirror it to the path that is asked for',
  evidence: [missing, line],
  decides: /image-missing|manifest-unknown|not-found|object-missing|says-image/,
});
