import type { Context } from '../../../core/context.ts';
import { AtollError } from '../../../core/errors.ts';
import { readText } from '../../../core/files.ts';
import {
  migrateMirrorSets,
  type NamedRules,
  readMirrorSets,
} from '../../../generate/mirror-set-migration.ts';
import { toYaml } from '../../../generate/yaml.ts';
import { renderCommand } from './render-command.ts';
import { RULE_OPTIONS, type RuleSets, rulesFrom } from './rule-options.ts';

export const renderMirrorSetsCommand = renderCommand({
  name: 'render mirror-sets',
  summary: 'ImageDigestMirrorSet and ImageTagMirrorSet, or ICSP for old releases',
  options: {
    ...RULE_OPTIONS,
    kind: {
      type: 'string',
      value: 'KIND',
      choices: ['idms', 'icsp'],
      default: 'idms',
      summary: 'Objects of today, or ImageContentSourcePolicy for releases before 4.13',
    },
    name: { type: 'string', value: 'NAME', default: 'mirror', summary: 'Name of the objects' },
    migrate: {
      type: 'strings',
      value: 'FILE',
      summary: 'Objects to turn into the other kind, keeping their names',
    },
  },
  examples: [
    ['atoll render mirror-sets --mirror mirror.example:5000/ocp', 'for the release'],
    ['atoll render mirror-sets --migrate icsp.yaml', 'from ICSP to IDMS, as "oc adm migrate icsp"'],
    ['atoll render mirror-sets --kind icsp --migrate idms.yaml', 'and back, for an old cluster'],
  ],
  async render(ctx, { options }) {
    const old = await Promise.all(
      options.migrate.map(async (path) => readMirrorSets(await readText(path), `"${path}"`)),
    );
    const sets = [...old.flat(), ...named(options.name, await rulesFrom(options))];
    if (sets.length === 0) throw nothingToSay();
    const { objects, warnings } = migrateMirrorSets(
      sets,
      options.kind === 'icsp' ? 'icsp' : 'idms',
    );
    warn(ctx, warnings);
    return { contents: toYaml(...objects) };
  },
});

function named(name: string, { rules, tagRules }: RuleSets): NamedRules[] {
  return [
    ...(rules.length > 0 ? [{ name, pulls: 'digest' as const, rules }] : []),
    ...(tagRules.length > 0 ? [{ name, pulls: 'tag' as const, rules: tagRules }] : []),
  ];
}

function warn(ctx: Context, messages: readonly string[]): void {
  for (const message of messages) ctx.emit({ type: 'warning.raised', message });
}

function nothingToSay(): AtollError {
  return new AtollError('USAGE', 'Cannot write mirror sets: no rule was given', {
    hint: 'Use "--mirror", "--rule", "--tag-rule", "--rules-from" or "--migrate"',
  });
}
