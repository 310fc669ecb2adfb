import type { Context } from '../../core/context.ts';
import { AtollError } from '../../core/errors.ts';
import { listOf, nullish, objectOf, text } from '../../core/shape.ts';
import type { Response } from '../../http/response.ts';
import { LISTING, pulling, type Scope } from '../client/auth/scope.ts';
import { nameOf, type Subject } from '../client/refusal.ts';
import type { RegistryClient } from '../client/registry-client.ts';
import { type RepositoryClient, subjectAt } from './repository-client.ts';

const PAGE_BYTES = 16 * 1024 * 1024;
const MOST_PAGES = 100_000;

/** The answers to a list that goes on behind `Link: <…>; rel="next"`. The caller reads each body. */
export async function* pages(
  ctx: Context,
  repo: RepositoryClient,
  first: string,
  headers: Readonly<Record<string, string>> = {},
  scopes: readonly Scope[] = [pulling(repo.repository)],
): AsyncGenerator<Response> {
  const seen = new Set<string>();
  let target: string | URL | undefined = first;
  while (target !== undefined) {
    const subject = subjectAt(repo, 'list');
    const request = { method: 'GET', target, scopes, headers };
    const response: Response = await repo.client.attempt(ctx, subject, () =>
      repo.client.send(ctx, request).then((answer) => passing(repo, subject, answer)),
    );
    yield response;
    const next = nextPage(response);
    target = next === undefined ? undefined : await repo.client.locate(ctx, next, response.url);
    const key = String(target);
    if (target !== undefined && (seen.has(key) || seen.size > MOST_PAGES)) throw endless(subject);
    seen.add(key);
  }
}

async function passing(
  repo: RepositoryClient,
  subject: Subject,
  response: Response,
): Promise<Response> {
  if (response.status !== 429 && response.status < 500) return response;
  throw await repo.client.refuse(response, subject);
}

/** The target of the first link with the relation `next`, quoted or not. */
function nextPage(response: Pick<Response, 'headers'>): string | undefined {
  const links = (response.headers.link ?? '').split(/,\s*(?=<)/);
  for (const link of links) {
    const match = /^\s*<([^>]*)>\s*;(.*)$/.exec(link);
    if (match && /(?:^|;)\s*rel="?next"?/i.test(match[2] ?? '')) return match[1];
  }
  return undefined;
}

/** The body as JSON; anything else is an error that names the place. */
export async function readJson(response: Response, subject: Subject): Promise<unknown> {
  const bytes = await response.bytes(PAGE_BYTES);
  if (!bytes) throw unreadable(subject, `it has more than ${PAGE_BYTES} bytes`);
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch (cause) {
    throw unreadable(subject, 'the answer is not JSON', cause);
  }
}

export function unreadable(subject: Subject, found: string, cause?: unknown): AtollError {
  return new AtollError(
    'REGISTRY_REFUSED',
    `Cannot ${subject.action} ${nameOf(subject)}: ${found}`,
    {
      details: { registry: subject.registry, repository: subject.repository ?? '' },
      cause,
    },
  );
}

function endless(subject: Subject): AtollError {
  return unreadable(subject, 'its pages lead in a circle');
}

interface TagList {
  readonly tags?: readonly string[] | null;
}

const TAGS_PER_PAGE = 1000;
const tagListShape = objectOf({ tags: nullish(listOf(text)) });

/** Every tag, page by page. An unknown repository is an error, not an empty list. */
export async function* listTags(ctx: Context, repo: RepositoryClient): AsyncGenerator<string> {
  const subject = subjectAt(repo, 'list the tags of');
  for await (const response of pages(
    ctx,
    repo,
    `${repo.repository}/tags/list?n=${TAGS_PER_PAGE}`,
  )) {
    if (!response.ok) throw await repo.client.refuse(response, subject);
    const list = await readJson(response, subject);
    if (tagListShape(list)) throw unreadable(subject, 'the answer is not a list of tags');
    yield* (list as TagList).tags ?? [];
  }
}

interface RepositoryList {
  readonly repositories?: readonly string[] | null;
}

const repositoryListShape = objectOf({ repositories: nullish(listOf(text)) });

/** Every repository that the registry lists for this login, page by page. */
export async function* listRepositories(
  ctx: Context,
  client: RegistryClient,
): AsyncGenerator<string> {
  const subject: Subject = { action: 'list the repositories of', registry: client.registry };
  const all = { client, repository: '' };
  for await (const response of pages(ctx, all, `_catalog?n=${TAGS_PER_PAGE}`, {}, [LISTING])) {
    if (!response.ok) throw await client.refuse(response, subject);
    const list = await readJson(response, subject);
    if (repositoryListShape(list))
      throw unreadable(subject, 'the answer is no list of repositories');
    yield* (list as RepositoryList).repositories ?? [];
  }
}
