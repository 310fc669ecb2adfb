import * as z from 'zod';
import { readText } from '../../../../core/files.ts';
import type { MirrorRule } from '../../../../generate/mirror-rule.ts';
import { readMirrorSets } from '../../../../generate/mirror-set-migration.ts';
import {
  RELEASE_COMPONENTS,
  RELEASE_IMAGES,
  RELEASE_REPOSITORY,
  releaseRepositories,
} from '../../../../openshift/repositories.ts';
import type { SiteInputs } from '../../../../site/inputs.ts';
import { hasMirror, mirrorLocation } from '../../../../site/mirror-place.ts';
import { pair } from '../flag-files.ts';
import { many, onOff, text } from '../flags.ts';

const RULE = 'SOURCE=MIRROR[,MIRROR…]';

const rule = (flag: string) =>
  pair(flag).transform(
    ([source, mirrors]): MirrorRule => ({ source, mirrors: mirrors.split(',') }),
  );

/** IDMS, ITMS or ICSP objects. */
export const mirrorSetFile = z
  .string()
  .transform(async (path) => readMirrorSets(await readText(path), `"${path}"`));

/** How targets learn which upstream places are mirrored where. Spread them into a schema. */
export const RULE_FLAGS = {
  mirror: text(
    'HOST[/PATH]',
    'The release, where "atoll mirror sync" and oc-mirror put it in this mirror',
  ).optional(),
  rule: many(
    RULE,
    'Pull digests of SOURCE from these mirrors; may be given more than once',
    rule('rule'),
  ),
  tagRule: many(
    RULE,
    'Pull tags of SOURCE from these mirrors; may be given more than once',
    rule('tag-rule'),
  ),
  rulesFrom: many(
    'FILE',
    'IDMS, ITMS or ICSP objects to take rules from; may be given more than once',
    mirrorSetFile,
  ),
  neverContactSource: onOff('Do not fall back to the source when no mirror has an image'),
};

const ruleFlags = z.object(RULE_FLAGS);
export type RuleOptions = z.output<typeof ruleFlags>;

export interface RuleSets {
  readonly rules: readonly MirrorRule[];
  readonly tagRules: readonly MirrorRule[];
}

export function rulesOf(options: RuleOptions): RuleSets {
  const sets = options.rulesFrom.flat();
  const read = (pulls: 'digest' | 'tag') =>
    sets.filter((set) => set.pulls === pulls).flatMap((set) => set.rules);
  const withPolicy = (one: MirrorRule): MirrorRule =>
    options.neverContactSource ? { ...one, policy: 'NeverContactSource' } : one;
  return {
    rules: [...releaseRules(options.mirror), ...options.rule, ...read('digest')].map(withPolicy),
    tagRules: [...options.tagRule, ...read('tag')].map(withPolicy),
  };
}

/** The repositories of a release, at their usual paths. A rule too many is harmless. */
function releaseRules(mirror: string | undefined): MirrorRule[] {
  if (mirror === undefined) return [];
  return releaseRepositories().map((source) => {
    const path = source === RELEASE_REPOSITORY ? RELEASE_IMAGES : RELEASE_COMPONENTS;
    return { source, mirrors: [`${mirror}/${path}`] };
  });
}

/** The rules of a site, unless some are given: those of what is in its mirror, or will be. */
export function siteRules(
  { site }: SiteInputs,
  given: ReadonlySet<string>,
  { rules, tagRules }: RuleSets,
): Partial<RuleOptions> {
  const neverContactSource = site.mode === 'disconnected';
  const isGiven = ['mirror', 'rule', 'tagRule', 'rulesFrom'].some((flag) => given.has(flag));
  if (isGiven || !hasMirror(site)) return { neverContactSource };
  return rules.length + tagRules.length > 0
    ? { rule: [...rules], tagRule: [...tagRules], neverContactSource }
    : { mirror: mirrorLocation(site), neverContactSource };
}
