import type { Context } from '../../core/context.ts';
import { AtollError } from '../../core/errors.ts';
import type { Entity } from './client/entities.ts';
import { listSchema } from './client/entities.ts';
import type { Prism } from './client/prism.ts';

/** Everything that a site makes has this category, with the name of the site as its value. */
export const CATEGORY = 'atoll-site';
export const CATEGORY_KIND = 'nutanix-category';

export const isOf = ({ metadata }: Entity, site: string): boolean =>
  metadata.categories?.[CATEGORY] === site;

const valuePath = (site: string) => `categories/${CATEGORY}/${encodeURIComponent(site)}`;

/** Makes the category and its value; both may be there already. */
export async function makeCategory(ctx: Context, prism: Prism, site: string): Promise<void> {
  const doing = `make the category ${CATEGORY}: ${site}`;
  const description = 'Sites that atoll made things for';
  await prism.call(ctx, doing, 'PUT', `categories/${CATEGORY}`, { name: CATEGORY, description });
  await prism.call(ctx, doing, 'PUT', valuePath(site), { value: site });
}

/** Removes the value of a site, and the category with the last of them. */
export async function removeCategory(ctx: Context, prism: Prism, site: string): Promise<void> {
  const doing = `remove the category ${CATEGORY}: ${site}`;
  await prism.call(ctx, doing, 'DELETE', valuePath(site)).catch(unlessGone);
  const left = await prism
    .call(ctx, doing, 'POST', `categories/${CATEGORY}/list`, { kind: 'category' })
    .catch(unlessGone);
  if (left === undefined || listSchema.parse(left).entities.length > 0) return;
  await prism.call(ctx, doing, 'DELETE', `categories/${CATEGORY}`).catch(unlessGone);
}

function unlessGone(error: unknown): undefined {
  if (error instanceof AtollError && error.details.status === 404) return undefined;
  throw error;
}
