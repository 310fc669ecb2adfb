import type { CollectFailure } from '../../content/content-image.ts';
import type { ErrorCode } from '../../core/error-codes.ts';
import { AtollError } from '../../core/errors.ts';
import { counted } from '../../core/format.ts';
import { groupedBy } from '../../core/grouped.ts';
import type { MirrorReport } from '../../mirror/flow/report.ts';

interface Failure {
  readonly subject: string;
  readonly code?: ErrorCode | undefined;
  readonly message: string;
  readonly hint?: string | undefined;
}

const SHOWN = 3;

/** What could not be found upstream, before anything was moved: each cause once. */
export function notCollected(failures: readonly CollectFailure[]): AtollError {
  const causes = byCause(failures);
  return new AtollError(
    causes[0]?.[0]?.code ?? 'IMAGES_MISSING',
    `Nothing was mirrored: ${counted(failures.length, 'thing')} cannot be had\n  ${linesOf(causes)}`,
    { hint: hintsOf(causes) ?? 'Correct what the site mirrors, then run the same command again' },
  );
}

/** Images that did not arrive, while others did. */
export function notArrived(report: MirrorReport): AtollError {
  const failures = [
    ...report.images.flatMap(({ source, outcome, error }) =>
      outcome === 'failed' && error ? [{ subject: source, ...error }] : [],
    ),
    ...report.notCollected,
  ];
  const causes = byCause(failures);
  const again = 'Then run the same command again: it sends only what is missing';
  const hint = hintsOf(causes);
  return new AtollError(
    'IMAGES_MISSING',
    `${counted(report.failed, 'image')} could not be mirrored; the rest are in place\n  ${linesOf(causes)}`,
    { hint: hint ? `${hint}. ${again}` : again },
  );
}

/** Failures with one code and one hint have one cause, whatever images they are about. */
const byCause = (failures: readonly Failure[]): readonly (readonly Failure[])[] =>
  groupedBy(failures, ({ code, hint }) => `${code} ${hint}`);

function linesOf(causes: readonly (readonly Failure[])[]): string {
  const lines = causes.flatMap(([first, ...others]) =>
    first
      ? `${first.message}${others.length > 0 ? `, and ${counted(others.length, 'other')} like it` : ''}`
      : [],
  );
  const more = lines.length - SHOWN;
  const rest = more > 0 ? [`and ${counted(more, 'other cause')}`] : [];
  return [...lines.slice(0, SHOWN), ...rest].join('\n  ');
}

function hintsOf(causes: readonly (readonly Failure[])[]): string | undefined {
  const hints = new Set(causes.flatMap(([first]) => first?.hint ?? []));
  return hints.size > 0 ? [...hints].slice(0, SHOWN).join('; ') : undefined;
}
