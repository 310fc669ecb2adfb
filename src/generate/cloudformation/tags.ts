import { AtollError } from '../../core/errors.ts';
import { byFirst } from '../../core/order.ts';
import type { Value } from './template.ts';

/** Every resource of a site carries it, so that exactly these can be found again. */
export const SITE_TAG = 'atoll/site';

/** What all stacks of a site have in common. */
export interface SiteStack {
  /** Name of the site. */
  readonly site: string;
  /** Further tags for everything in the stack. */
  readonly tags?: Readonly<Record<string, string>> | undefined;
}

/** AWS takes 50; CloudFormation, the installer and the cluster add theirs. */
const MAX_TAGS = 25;
const KEY = /^(?!aws:)[\p{L}\p{N} _.:/=+@-]{1,128}$/iu;
const TAG_VALUE = /^[\p{L}\p{N} _.:/=+@-]{0,256}$/u;
const SITE = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/** Refuses names and tags that AWS would refuse in the middle of a run. */
export function checkSite({ site, tags = {} }: SiteStack): void {
  if (!SITE.test(site)) {
    throw new AtollError('INPUT_INVALID', `Cannot name a site "${site}"`, {
      hint: 'Use lowercase letters, digits and dashes, at most 63 of them',
    });
  }
  for (const [key, value] of Object.entries(tags)) {
    if (KEY.test(key) && TAG_VALUE.test(value) && key !== SITE_TAG && key !== 'Name') continue;
    throw new AtollError('INPUT_INVALID', `Cannot tag with "${key}": "${value}"`, {
      hint: `Use letters, digits and _ . : / = + - @; not "Name", "${SITE_TAG}" or "aws:…"`,
    });
  }
  if (Object.keys(tags).length > MAX_TAGS) {
    throw new AtollError('INPUT_INVALID', `Cannot use more than ${MAX_TAGS} tags`, {
      hint: 'The installer and the cluster add tags of their own',
    });
  }
}

/** Tags of one resource: its name, its site, those of the user, and some it alone has. */
export function tagsOf(
  { site, tags = {} }: SiteStack,
  name: string,
  own: Readonly<Record<string, string>> = {},
): readonly Value[] {
  const all = { Name: `${site}-${name}`, [SITE_TAG]: site, ...tags, ...own };
  return Object.entries(all)
    .toSorted(byFirst)
    .map(([Key, tag]) => ({ Key, Value: tag }));
}
