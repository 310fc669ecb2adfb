import { AtollError } from '../../core/errors.ts';
import { nearest } from '../../core/nearest.ts';
import { type Diagnosis, diagnose } from '../../observe/diagnose.ts';
import { dataOf, type Rule, shippedRules } from '../../observe/rules/catalogue.ts';
import type { RuleData } from '../../observe/rules/schema.ts';
import { defineCommand } from '../command.ts';
import { diagnosisText, rulesText, ruleText } from './diagnose-text.ts';

type Result =
  | ({ readonly kind: 'diagnosis' } & Diagnosis)
  | { readonly kind: 'rule'; readonly rule: RuleData }
  | { readonly kind: 'rules'; readonly rules: readonly RuleData[] };

export const diagnoseCommand = defineCommand({
  name: 'diagnose',
  summary: 'Explain from logs why mirroring, a bootstrap or an install failed',
  description:
    'Reads log bundles (packed, unpacked or partial), must-gathers, journals (text, -o json, export), ' +
    '.openshift_install.log, oc-mirror logs, service records and the journals of atoll. Nothing is unpacked ' +
    'to disk. Exit status 0: all was read, whatever was found.',
  arguments: [
    { name: 'path', summary: 'Files, archives and directories', optional: true, variadic: true },
  ],
  options: {
    as: {
      type: 'string',
      value: 'ORIGIN',
      summary: 'Where text comes from that nothing identifies: cli:oc, journal:node/crio, …',
    },
    explain: { type: 'string', value: 'ID', summary: 'All that is known about one failure' },
    list: { type: 'boolean', summary: 'The known failures' },
  },
  examples: [
    ['atoll diagnose log-bundle-20260820105959.tar.gz', 'a bootstrap that did not finish'],
    ['atoll diagnose must-gather/ install-dir/.openshift_install.log', 'several at once'],
    ['atoll diagnose --explain boot-pull-x509', 'one failure in full'],
    ['atoll diagnose --list --output json', 'the catalogue for programs'],
  ],
  async run(ctx, { args, options }): Promise<Result> {
    if (options.list) return { kind: 'rules', rules: shippedRules().map(dataOf) };
    if (options.explain !== undefined)
      return { kind: 'rule', rule: dataOf(ruleOf(options.explain)) };
    if (args.rest.length === 0) {
      throw new AtollError('USAGE', 'Cannot run "diagnose": nothing to look at', {
        hint: 'Name a log bundle, a journal, a log or a directory',
      });
    }
    return { kind: 'diagnosis', ...(await diagnose(ctx, args.rest, { origin: options.as })) };
  },
  text(result, style) {
    if (result.kind === 'rules') return rulesText(result.rules, style);
    return result.kind === 'rule' ? ruleText(result.rule, style) : diagnosisText(result, style);
  },
});

function ruleOf(id: string): Rule {
  const rules = shippedRules();
  const rule = rules.find((one) => one.id === id);
  if (rule) return rule;
  const near = nearest(
    id,
    rules.map((one) => one.id),
  );
  throw new AtollError('USAGE', `Cannot explain "${id}": there is no such failure`, {
    hint: near ? `Did you mean "${near}"?` : 'Run "atoll diagnose --list"',
  });
}
