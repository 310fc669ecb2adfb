import type { LineExplanation, RuleVerdict, Verdict } from '../observe/explain-line.ts';
import type { Style } from './command.ts';
import { columns } from './table.ts';

const REASONS: Readonly<Record<Exclude<Verdict, 'spoke'>, (because: string) => string>> = {
  quoted: () => 'the line quotes what may happen, as a runbook does',
  'no-match': (pattern) => `its fixed text is there, its pattern does not match: ${pattern}`,
  'other-origin': (origins) => `it looks in ${origins}`,
  'other-party': (parties) => `it is about the ${parties}, the line is about something else`,
  silenced: (rule) => `${rule} says that the line is harmless`,
  replaced: (rule) => `${rule} is more specific and replaces it`,
  outranked: (rule) => `${rule} says it better: a likelier origin, the same cause, or no symptom`,
  'needs-absent': (pattern) => `it needs another line that is not there: ${pattern}`,
  'unless-present': (pattern) => `a line speaks against it: ${pattern}`,
  consequence: (rule) => `it only follows from ${rule}`,
};

/** How lines were read, and what each rule that looked at one made of it. */
export function explanationText(lines: readonly LineExplanation[], style: Style): string {
  return lines.map((line) => lineText(line, style)).join('\n\n');
}

function lineText({ line, decoded, origins, at, rules }: LineExplanation, style: Style): string {
  return [
    `${style.bold(`line ${line}`)} read as: ${decoded}`,
    `  taken for: ${origins.join(', ')}`,
    `  at: ${at ?? 'the line tells no time'}`,
    ...(rules.length === 0
      ? ['  No rule looked at it: none has fixed text that it holds']
      : columns(rules.map((rule) => [`  ${rule.id}`, verdictText(rule, style)]))),
  ].join('\n');
}

const verdictText = ({ verdict, because = '' }: RuleVerdict, style: Style): string =>
  verdict === 'spoke'
    ? style.green('spoke')
    : `${style.yellow('silent')}: ${REASONS[verdict](because)}`;
