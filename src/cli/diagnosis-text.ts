import { counted, formatBytes, formatDuration } from '../core/format.ts';
import { causeText } from '../observe/cause-text.ts';
import type { Evidence } from '../observe/claim.ts';
import type { Diagnosis } from '../observe/diagnose.ts';
import type { Finding } from '../observe/findings.ts';
import type { NoCause } from '../observe/no-cause.ts';
import { printable } from '../observe/quote-line.ts';
import type { RuleData } from '../observe/rules/schema.ts';
import type { Style } from './command.ts';
import { columns } from './table.ts';

const CATEGORIES: Readonly<Record<Finding['category'], string>> = {
  'image-sync': 'image sync',
  bootstrap: 'bootstrap',
  install: 'install',
  'node-join': 'node join',
};
const MAX_UNREAD = 20;
const MAX_HARMLESS = 5;

/** A diagnosis for people: causes with their evidence first, then the rest. */
export function diagnosisText(diagnosis: Diagnosis, style: Style): string {
  const roots = diagnosis.findings.filter(({ kind }) => kind === 'root');
  const symptoms = diagnosis.findings.filter(({ kind, aside }) => kind === 'symptom' && !aside);
  return [
    headline(diagnosis, roots.length, style),
    ...bootstrapLines(diagnosis, style),
    ...roots.flatMap((finding, index) => ['', ...findingLines(finding, `${index + 1}.`, style)]),
    ...symptomLines(symptoms, roots.length > 0, style),
    ...asideLines(diagnosis.findings, style),
    ...likelyLines(diagnosis, style),
    ...alsoSaidLines(diagnosis, style),
    ...harmlessLines(diagnosis, roots.length > 0, style),
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
  return `${style.bold(withoutCause(diagnosis))} ${looked}`;
}

function withoutCause({ findings, likely, benign, noCause }: Diagnosis): string {
  const isHarmless = benign.length > 0 && !noCause?.firstError;
  if (findings.length === 0 && !likely && isHarmless)
    return 'No cause found: what looks bad here is known to be harmless';
  const known = findings.length > 0 ? 'Only symptoms found' : 'No known cause found';
  if (!likely) return known;
  return likely.isWarned
    ? `${known}, only a warning`
    : `${known}, a likely one read from the error`;
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
  older: 'said long before the other',
  warned: 'only a warning, beside errors',
  vague: 'says what failed, and not why',
};

function asideLines(findings: readonly Finding[], style: Style): string[] {
  const lines = findings.flatMap(({ id, aside, count, cause }) =>
    aside ? [`  ${id} ${style.dim(`(${count}, ${ASIDES[aside]})`)} ${cause}`] : [],
  );
  return lines.length === 0 ? [] : ['', 'Also seen, and not the cause:', ...lines];
}

/** What no rule knows and the error says by itself. */
function likelyLines({ likely }: Pick<Diagnosis, 'likely'>, style: Style): string[] {
  if (!likely) return [];
  const times = likely.count === 1 ? 'once' : `${likely.count} times`;
  return [
    '',
    `${style.bold(`${likely.isWarned ? 'Only warned of' : 'Likely'}: ${likely.cause}`)} ${style.dim(`(${times})`)}`,
    ...likely.evidence.map((evidence) => `   ${evidenceLine(evidence, style)}`),
    `   ${style.green('do:')} ${likely.remedy}`,
  ];
}

/** Beside a cause it would only be in the way. */
function harmlessLines({ benign }: Diagnosis, isNamed: boolean, style: Style): string[] {
  if (isNamed || benign.length === 0) return [];
  const lines = benign
    .slice(0, MAX_HARMLESS)
    .map(({ id, count, cause }) => `  ${id} ${style.dim(`(${count})`)} ${cause}`);
  return ['', 'Looks bad, and is harmless:', ...lines];
}

/** What is told may only follow from one of these. */
function alsoSaidLines({ alsoSaid }: Diagnosis, style: Style): string[] {
  const lines = alsoSaid.map((evidence) => `  ${evidenceLine(evidence, style)}`);
  return lines.length === 0 ? [] : ['', 'The text also says:', ...lines];
}

/** Where no cause was found: what there was to go by. */
export function noCauseLines(
  diagnosis: Partial<Told & Pick<Diagnosis, 'noCause'>>,
  style: Style,
): string[] {
  const { noCause } = diagnosis;
  if (!noCause) return [];
  const { forms, from, to, gather } = noCause;
  const read = forms.map(({ form, files }) => `${form} (${files})`).join(', ');
  const span = from ? `${from} to ${to}` : 'nothing that tells a time';
  return [
    '',
    ...(read === ''
      ? ['There was no text to read']
      : [`What was read: ${read}, ${span}`, ...errorLines(noCause, diagnosis, style)]),
    ...(gather.length === 0 ? [] : ['What to gather next:']),
    ...gather.map((one) => `  ${one}`),
  ];
}

function errorLines(
  { firstError, lastError, last }: NoCause,
  told: Partial<Told>,
  style: Style,
): readonly string[] {
  const line = (title: string, error: Evidence | undefined) =>
    error && !isShown(error, told) ? [`${title}: ${evidenceLine(error, style)}`] : [];
  const errors = [
    ...line('The first real error', firstError),
    ...line('The error it ends with', lastError),
  ];
  if (errors.length > 0 || told.likely) return errors;
  const none = `No ${told.benign?.length ? 'other ' : ''}line of it is an error by its words`;
  if (!last) return [none];
  const place = style.dim(`${printable(last.file)}${last.at ? ` ${last.at}` : ''}`);
  return [`${none}; what it said last: ${place} ${last.text}`];
}

type Told = Pick<Diagnosis, 'likely' | 'alsoSaid' | 'benign'>;

/** What is shown above is not said again below it. */
const isShown = (one: Evidence, { likely, alsoSaid = [] }: Partial<Told>): boolean =>
  [...(likely?.evidence ?? []), ...alsoSaid].some(
    ({ file, line }) => file === one.file && line === one.line,
  );

function suspiciousLines(diagnosis: Diagnosis, style: Style): string[] {
  const others = diagnosis.suspicious.filter((one) => !isShown(one, diagnosis));
  if (others.length === 0) return [];
  return [
    '',
    'The most suspicious lines:',
    ...others.map((one) => `  ${evidenceLine(one, style)} ${style.dim(`(${one.count})`)}`),
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

/** One failure in full. */
export function ruleText(rule: RuleData, style: Style): string {
  const list = (title: string, items: readonly string[]) =>
    items.length === 0 ? [] : [`${title}:`, ...items.map((item) => `  ${item}`)];
  const sample = typeof rule.sample === 'string' ? rule.sample : JSON.stringify(rule.sample);
  return [
    `${style.bold(rule.id)} ${style.cyan(CATEGORIES[rule.category])} ${style.dim(rule.kind)}`,
    ...list('cause', [causeText(rule.cause)]),
    ...list('remedy', [causeText(rule.remedy)]),
    ...list('commands', rule.commands),
    ...list('looked for in', rule.where),
    ...list('pattern', rule.pattern === undefined ? [] : [rule.pattern]),
    ...list('over with', rule.over === undefined ? [] : [rule.over]),
    ...list('example', [sample]),
    ...list('read in', [rule.source]),
  ].join('\n');
}

/** The catalogue as a table. */
export function rulesText(rules: readonly RuleData[], style: Style): string {
  return columns(
    rules.map(({ id, category, kind }) => [id, CATEGORIES[category], style.dim(kind)]),
  ).join('\n');
}
