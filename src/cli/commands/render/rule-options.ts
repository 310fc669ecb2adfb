import { readText } from '../../../core/files.ts';
import type { MirrorRule, SourcePolicy } from '../../../generate/mirror-rule.ts';
import { readMirrorSets } from '../../../generate/mirror-set-migration.ts';
import { RELEASE_REPOSITORY, releaseRepositories } from '../../../openshift/repositories.ts';
import type { OptionSpec, OptionValues } from '../../command.ts';
import { splitPair } from './flag-values.ts';

/** How commands learn which upstream places are mirrored where. Spread them into `options`. */
export const RULE_OPTIONS = {
  mirror: {
    type: 'string',
    value: 'HOST[/PATH]',
    summary: 'The release, where "atoll mirror sync" and oc-mirror put it in this mirror',
  },
  rule: {
    type: 'strings',
    value: 'SOURCE=MIRROR[,MIRROR…]',
    summary: 'Pull digests of SOURCE from these mirrors; may be given more than once',
  },
  tagRule: {
    type: 'strings',
    value: 'SOURCE=MIRROR[,MIRROR…]',
    summary: 'Pull tags of SOURCE from these mirrors; may be given more than once',
  },
  rulesFrom: {
    type: 'strings',
    value: 'FILE',
    summary: 'IDMS, ITMS or ICSP objects to take rules from; may be given more than once',
  },
  neverContactSource: {
    type: 'boolean',
    summary: 'Do not fall back to the source when no mirror has an image',
  },
} as const satisfies Readonly<Record<string, OptionSpec>>;

export interface RuleSets {
  readonly rules: readonly MirrorRule[];
  readonly tagRules: readonly MirrorRule[];
}

export async function rulesFrom(options: OptionValues<typeof RULE_OPTIONS>): Promise<RuleSets> {
  const texts = await Promise.all(
    options.rulesFrom.map(async (path) => readMirrorSets(await readText(path), `"${path}"`)),
  );
  const sets = texts.flat();
  const read = (pulls: 'digest' | 'tag') =>
    sets.filter((set) => set.pulls === pulls).flatMap((set) => set.rules);
  const policy = options.neverContactSource ? 'NeverContactSource' : undefined;
  return {
    rules: withPolicy(
      [...releaseRules(options.mirror), ...parse('rule', options.rule), ...read('digest')],
      policy,
    ),
    tagRules: withPolicy([...parse('tag-rule', options.tagRule), ...read('tag')], policy),
  };
}

function parse(flag: string, values: readonly string[]): MirrorRule[] {
  return values.map((value) => {
    const [source, mirrors] = splitPair(flag, value);
    return { source, mirrors: mirrors.split(',') };
  });
}

/** The repositories of a release, at the paths that oc-mirror made usual. A rule too many is harmless. */
function releaseRules(mirror: string | undefined): MirrorRule[] {
  if (mirror === undefined) return [];
  return releaseRepositories().map((source) => {
    const path = source === RELEASE_REPOSITORY ? 'release-images' : 'release';
    return { source, mirrors: [`${mirror}/openshift/${path}`] };
  });
}

function withPolicy(rules: readonly MirrorRule[], policy: SourcePolicy | undefined): MirrorRule[] {
  return rules.map((rule) => (policy ? { ...rule, policy } : rule));
}
