import { once } from '../../core/bytes.ts';
import type { Context } from '../../core/context.ts';
import { AtollError } from '../../core/errors.ts';
import { nearest } from '../../core/nearest.ts';
import { type Diagnosis, diagnose } from '../../observe/diagnose.ts';
import { explainLines, type LineExplanation } from '../../observe/explain-line.ts';
import { keepContent } from '../../observe/keep-content.ts';
import { dataOf, type Rule, shippedRules } from '../../observe/rules/catalogue.ts';
import { isWhere, type RuleData } from '../../observe/rules/schema.ts';
import { diagnoseLive, type LiveDiagnosis } from '../../site/watch/watch-running.ts';
import { defineCommand, type Terminal } from '../command.ts';
import { diagnosisText, noCauseLines, rulesText, ruleText } from '../diagnosis-text.ts';
import { explanationText } from '../explanation-text.ts';
import { onOff, text } from '../flags.ts';
import { liveLines } from '../live-text.ts';
import { SITE_OPTION, withSite } from '../site-options.ts';

type Result =
  | ({ readonly kind: 'diagnosis' } & Diagnosis)
  | ({ readonly kind: 'live' } & LiveDiagnosis)
  | { readonly kind: 'rule'; readonly rule: RuleData }
  | ({ readonly kind: 'lines'; readonly lines: readonly LineExplanation[] } & Pick<
      Diagnosis,
      'noCause'
    >)
  | { readonly kind: 'rules'; readonly rules: readonly RuleData[] };

export const diagnoseCommand = defineCommand({
  name: 'diagnose',
  summary: 'Explain from logs why mirroring, a bootstrap or an install failed',
  description:
    'Reads log bundles (packed with gzip, xz, bzip2, zstd or zip, unpacked or partial), must-gathers, journals (text, -o json, export), ' +
    '.openshift_install.log, oc-mirror logs, service records and the journals of atoll; - or a pipe: what was copied. ' +
    'Nothing is unpacked to disk. Exit status 0: all was read, whatever was found.',
  arguments: [
    {
      name: 'path',
      summary: 'Files, archives and directories; - reads stdin',
      optional: true,
      variadic: true,
    },
  ],
  options: {
    as: text(
      'ORIGIN',
      'Where text comes from that nothing identifies: cli:oc, journal:node/crio, …',
    ),
    explain: text(
      'ID|LINE',
      'All about one failure, or what each rule makes of a line; - reads stdin',
    ),
    list: onOff('The known failures'),
    live: onOff('Look at the install of the site that is under way: API, mirror, installer'),
    bootstrap: text('[USER@]HOST', 'With --live: read the journals of this machine over SSH, too'),
    ...SITE_OPTION,
  },
  examples: {
    'atoll diagnose log-bundle-20260820105959.tar.gz': 'a bootstrap that did not finish',
    'atoll diagnose must-gather/ install-dir/.openshift_install.log': 'several at once',
    'oc logs -n openshift-etcd etcd-0 | atoll diagnose -': 'what another command says',
    'wl-paste | atoll diagnose -': 'what was copied from a terminal or a ticket',
    'atoll diagnose --live --bootstrap core@192.0.2.9': 'an install that is under way',
    'atoll diagnose --explain boot-pull-x509': 'one failure in full',
    'atoll diagnose --explain "error: unauthorized" --as cli:oc':
      'one line, and why rules did or did not speak',
    'atoll diagnose --list --output json': 'the catalogue for programs',
  },
  async run(ctx, input): Promise<Result> {
    const { args, options } = input;
    if (options.live)
      return await withSite(ctx, input, 'look', async ({ work }) => ({
        kind: 'live',
        ...(await diagnoseLive(ctx, work, { bootstrap: options.bootstrap })),
      }));
    if (options.list) return { kind: 'rules', rules: shippedRules().map(dataOf) };
    if (options.as !== undefined && !isWhere(options.as)) throw noOrigin(options.as);
    if (options.explain !== undefined)
      return await explain(ctx, input.terminal, options.explain, options.as);
    return await diagnoseInputs(ctx, input.terminal, args.rest, options.as);
  },
  text(result, style) {
    if (result.kind === 'rules') return rulesText(result.rules, style);
    if (result.kind === 'rule') return ruleText(result.rule, style);
    if (result.kind === 'lines')
      return [explanationText(result.lines, style), ...noCauseLines(result, style)].join('\n');
    const live = result.kind === 'live' ? [...liveLines(result, style), ''] : [];
    return [...live, diagnosisText(result, style)].join('\n');
  },
});

/** What can be no ID of a failure is a line. */
async function explain(
  ctx: Context,
  terminal: Terminal,
  given: string,
  origin: string | undefined,
): Promise<Result> {
  if (/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(given))
    return { kind: 'rule', rule: dataOf(ruleOf(given)) };
  const text = given === '-' ? await terminal.readStdin() : given;
  const lines = await explainLines(text, { now: ctx.now(), origin });
  const open = () => once(Buffer.from(text));
  const { noCause } = await diagnose(ctx, [{ name: GIVEN, modified: ctx.now(), open }], { origin });
  return { kind: 'lines', lines, ...(noCause ? { noCause } : {}) };
}

const GIVEN = 'given';
const STDIN = 'standard input';

/** `-` is standard input, and so is no path at all where something is piped in. */
async function diagnoseInputs(
  ctx: Context,
  terminal: Terminal,
  paths: readonly string[],
  origin: string | undefined,
): Promise<Result> {
  const isNothing = paths.length === 0;
  if (isNothing && !terminal.isPiped) throw nothingToLookAt();
  if (!isNothing && !paths.includes('-'))
    return { kind: 'diagnosis', ...(await diagnose(ctx, paths, { origin })) };
  const kept = await keepContent(ctx, STDIN, terminal.stdin());
  try {
    if (isNothing && kept.bytes === 0) throw nothingToLookAt();
    const inputs = isNothing
      ? [kept]
      : [...new Set(paths)].map((one) => (one === '-' ? kept : one));
    return { kind: 'diagnosis', ...(await diagnose(ctx, inputs, { origin })) };
  } finally {
    await kept.close();
  }
}

const noOrigin = (given: string) =>
  new AtollError('USAGE', `Cannot use --as: "${given}" is no origin`, {
    hint: 'Say who wrote the text: cli:oc, cli:oc-mirror, journal:node/crio, journal:bootstrap/bootkube, pod:NAMESPACE/NAME, installer-log, console:node, …',
  });

const nothingToLookAt = () =>
  new AtollError('USAGE', 'Cannot run "diagnose": nothing to look at', {
    hint: 'Name a log bundle, a journal, a log or a directory, or pipe a log to "atoll diagnose -"',
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
