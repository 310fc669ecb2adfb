import type { Context } from '../../core/context.ts';
import { AtollError } from '../../core/errors.ts';
import { counted, formatBytes, formatDuration } from '../../core/format.ts';
import { nearest } from '../../core/nearest.ts';
import { type Diagnosis, diagnose } from '../../observe/diagnose.ts';
import { explainLines, type LineExplanation } from '../../observe/explain-line.ts';
import type { Evidence, Finding } from '../../observe/findings.ts';
import { printable } from '../../observe/quote-line.ts';
import { dataOf, type Rule, shippedRules } from '../../observe/rules/catalogue.ts';
import type { RuleData } from '../../observe/rules/schema.ts';
import { diagnoseLive, type LiveDiagnosis } from '../../site/watch/watch-running.ts';
import { defineCommand, type Style, type Terminal } from '../command.ts';
import { explanationText } from '../explanation-text.ts';
import { onOff, text } from '../flags.ts';
import { liveLines } from '../live-text.ts';
import { SITE_OPTION, withSite } from '../site-options.ts';
import { columns } from '../table.ts';

type Result =
  | ({ readonly kind: 'diagnosis' } & Diagnosis)
  | ({ readonly kind: 'live' } & LiveDiagnosis)
  | { readonly kind: 'rule'; readonly rule: RuleData }
  | { readonly kind: 'lines'; readonly lines: readonly LineExplanation[] }
  | { readonly kind: 'rules'; readonly rules: readonly RuleData[] };

export const diagnoseCommand = defineCommand({
  name: 'diagnose',
  summary: 'Explain from logs why mirroring, a bootstrap or an install failed',
  description:
    'Reads log bundles (packed with gzip, xz, bzip2, zstd or zip, unpacked or partial), must-gathers, journals (text, -o json, export), ' +
    '.openshift_install.log, oc-mirror logs, service records and the journals of atoll. Nothing is unpacked ' +
    'to disk. Exit status 0: all was read, whatever was found.',
  arguments: [
    { name: 'path', summary: 'Files, archives and directories', optional: true, variadic: true },
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
    if (options.explain !== undefined)
      return await explain(ctx, input.terminal, options.explain, options.as);
    if (args.rest.length === 0) {
      throw new AtollError('USAGE', 'Cannot run "diagnose": nothing to look at', {
        hint: 'Name a log bundle, a journal, a log or a directory',
      });
    }
    return { kind: 'diagnosis', ...(await diagnose(ctx, args.rest, { origin: options.as })) };
  },
  text(result, style) {
    if (result.kind === 'rules') return rulesText(result.rules, style);
    if (result.kind === 'rule') return ruleText(result.rule, style);
    if (result.kind === 'lines') return explanationText(result.lines, style);
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
  return { kind: 'lines', lines: await explainLines(text, { now: ctx.now(), origin }) };
}

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

const CATEGORIES: Readonly<Record<Finding['category'], string>> = {
  'image-sync': 'image sync',
  bootstrap: 'bootstrap',
  install: 'install',
  'node-join': 'node join',
};
const MAX_UNREAD = 20;

function diagnosisText(diagnosis: Diagnosis, style: Style): string {
  const roots = diagnosis.findings.filter(({ kind }) => kind === 'root');
  const symptoms = diagnosis.findings.filter(({ kind, aside }) => kind === 'symptom' && !aside);
  return [
    headline(diagnosis, roots.length, style),
    ...bootstrapLines(diagnosis, style),
    ...roots.flatMap((finding, index) => ['', ...findingLines(finding, `${index + 1}.`, style)]),
    ...symptomLines(symptoms, roots.length > 0, style),
    ...asideLines(diagnosis.findings, style),
    ...noCauseLines(diagnosis, style),
    ...suspiciousLines(diagnosis, style),
    ...unreadLines(diagnosis),
  ].join('\n');
}

function headline(diagnosis: Diagnosis, roots: number, style: Style): string {
  const { files, bytes } = diagnosis.totals;
  const looked = style.dim(`(${counted(files, 'file')}, ${formatBytes(bytes)})`);
  if (roots > 0)
    return `${style.bold(`${roots} ${roots === 1 ? 'cause' : 'causes'} found`)} ${looked}`;
  const only = diagnosis.findings.length > 0 ? 'Only symptoms found' : 'No known cause found';
  return `${style.bold(only)} ${looked}`;
}

function bootstrapLines({ bootstrap }: Diagnosis, style: Style): string[] {
  if (!bootstrap) return [];
  const { step, verdict } = bootstrap;
  if (!step) return [`Bootstrap: ${verdict}`];
  const age = step.durationMs === undefined ? '' : ` for ${formatDuration(step.durationMs)}`;
  return [`Bootstrap: ${style.yellow(verdict)}${age} at "${step.title}"`];
}

function findingLines(finding: Finding, number: string, style: Style): string[] {
  const times = finding.count === 1 ? 'once' : `${finding.count} times`;
  const span = finding.firstAt ? `, ${finding.firstAt} to ${finding.lastAt}` : '';
  return [
    `${style.bold(`${number} ${finding.id}`)} ${style.cyan(CATEGORIES[finding.category])} ${style.dim(`${times}${span}`)}`,
    `   ${finding.cause}`,
    ...finding.mirrors.map(({ mirror, error }) => `   the mirror ${mirror} answered: ${error}`),
    ...finding.evidence.map((evidence) => `   ${evidenceLine(evidence, style)}`),
    `   ${style.green('do:')} ${finding.remedy}`,
    ...finding.commands.map((command) => `     $ ${command}`),
  ];
}

const evidenceLine = ({ file, line, at, text }: Evidence, style: Style): string =>
  `${style.dim(`${printable(file)}:${line}${at ? ` ${at}` : ''}`)} ${text}`;

/** With a cause at hand symptoms are only named; without one they are all there is to go by. */
function symptomLines(symptoms: readonly Finding[], named: boolean, style: Style): string[] {
  if (symptoms.length === 0) return [];
  if (!named)
    return symptoms.flatMap((one, index) => ['', ...findingLines(one, `${index + 1}.`, style)]);
  return [
    '',
    'What follows from it:',
    ...symptoms.map(({ id, count, cause }) => `  ${id} ${style.dim(`(${count})`)} ${cause}`),
  ];
}

const ASIDES: Readonly<Record<NonNullable<Finding['aside']>, string>> = {
  explained: 'follows from what was found',
  answered: 'the other end answered later',
  passed: 'said once, and not again',
  warned: 'only a warning, beside errors',
  vague: 'says what failed, and not why',
};

function asideLines(findings: readonly Finding[], style: Style): string[] {
  const lines = findings.flatMap(({ id, aside, count, cause }) =>
    aside ? [`  ${id} ${style.dim(`(${count}, ${ASIDES[aside]})`)} ${cause}`] : [],
  );
  return lines.length === 0 ? [] : ['', 'Also seen, and not the cause:', ...lines];
}

function noCauseLines({ noCause }: Diagnosis, style: Style): string[] {
  if (!noCause) return [];
  const { forms, from, to, firstError, gather } = noCause;
  const read = forms.map(({ form, files }) => `${form} (${files})`).join(', ') || 'nothing';
  return [
    '',
    `What was read: ${read}${from ? `, ${from} to ${to}` : ', nothing that tells a time'}`,
    firstError
      ? `The first real error: ${evidenceLine(firstError, style)}`
      : 'No line of it is an error by its words',
    ...(gather.length === 0 ? [] : ['What to gather next:']),
    ...gather.map((one) => `  ${one}`),
  ];
}

function suspiciousLines({ suspicious }: Diagnosis, style: Style): string[] {
  if (suspicious.length === 0) return [];
  return [
    '',
    'The most suspicious lines:',
    ...suspicious.map((one) => `  ${evidenceLine(one, style)} ${style.dim(`(${one.count})`)}`),
  ];
}

function unreadLines({ unread }: Diagnosis): string[] {
  if (unread.length === 0) return [];
  const more = unread.length > MAX_UNREAD ? [`  and ${unread.length - MAX_UNREAD} more`] : [];
  const shown = unread
    .slice(0, MAX_UNREAD)
    .map(({ path, reason }) => `  ${printable(path)}: ${reason}`);
  return ['', 'Could not be looked at:', ...shown, ...more];
}

function ruleText(rule: RuleData, style: Style): string {
  const list = (title: string, items: readonly string[]) =>
    items.length === 0 ? [] : [`${title}:`, ...items.map((item) => `  ${item}`)];
  const sample = typeof rule.sample === 'string' ? rule.sample : JSON.stringify(rule.sample);
  return [
    `${style.bold(rule.id)} ${style.cyan(CATEGORIES[rule.category])} ${style.dim(rule.kind)}`,
    ...list('cause', [rule.cause]),
    ...list('remedy', [rule.remedy]),
    ...list('commands', rule.commands),
    ...list('looked for in', rule.where),
    ...list('pattern', rule.pattern === undefined ? [] : [rule.pattern]),
    ...list('over with', rule.over === undefined ? [] : [rule.over]),
    ...list('example', [sample]),
    ...list('read in', [rule.source]),
  ].join('\n');
}

function rulesText(rules: readonly RuleData[], style: Style): string {
  return columns(
    rules.map(({ id, category, kind }) => [id, CATEGORIES[category], style.dim(kind)]),
  ).join('\n');
}
