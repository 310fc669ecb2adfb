import { type Exchange, type Handler, replyJson } from '../serving/exchange.ts';
import type { RouteOf } from '../serving/routes.ts';
import { type HeaderFields, WireError } from '../serving/wire-error.ts';

/** GET /v2/NAME/tags/list */
export const listTags: Handler<RouteOf<'tags'>> = async (exchange, { repository }) => {
  const { ctx, links } = exchange.service;
  if (!(await links.exists(ctx, repository))) {
    throw new WireError('NAME_UNKNOWN', 'There is no such repository');
  }
  const { n, last } = pageOf(exchange);
  const page = await take(links.tags.list(ctx, repository, last), n);
  const path = `/v2/${repository}/tags/list`;
  replyJson(exchange, { name: repository, tags: page.items }, linkOf(path, n, page));
};

/** GET /v2/_catalog: not in the specification, but asked for by many tools. Only what one may see. */
export const listRepositories: Handler<RouteOf<'catalog'>> = async (exchange) => {
  const { ctx, links } = exchange.service;
  const { n, last } = pageOf(exchange);
  const page = await take(visible(exchange, links.repositories(ctx, last)), n);
  replyJson(exchange, { repositories: page.items }, linkOf('/v2/_catalog', n, page));
};

interface Page {
  readonly items: readonly string[];
  readonly more: boolean;
}

async function take(all: AsyncIterable<string>, n: number): Promise<Page> {
  const items: string[] = [];
  if (n === 0) return { items, more: false };
  for await (const item of all) {
    if (items.length >= n) return { items, more: true };
    items.push(item);
  }
  return { items, more: false };
}

/** A client that wants all follows the links; none makes this registry read all at once. */
function pageOf({ query, service }: Exchange): { n: number; last?: string } {
  const { namesPerPage, maxNamesPerPage } = service.limits;
  const n = query.get('n');
  const last = query.get('last');
  if (n !== null && !/^\d{1,9}$/.test(n)) {
    throw new WireError('SIZE_INVALID', 'The page size "n" has to be a number');
  }
  const wanted = n === null ? namesPerPage : Math.min(Number(n), maxNamesPerPage);
  return { n: wanted, ...(last ? { last } : {}) };
}

function linkOf(path: string, n: number, page: Page): HeaderFields {
  if (!page.more) return {};
  const query = new URLSearchParams({ n: String(n), last: page.items.at(-1) ?? '' });
  return { link: `<${path}?${query}>; rel="next"` };
}

async function* visible(exchange: Exchange, names: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const name of names) if (exchange.allows('pull', name)) yield name;
}
