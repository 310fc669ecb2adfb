import { groupedBy } from '../../../core/grouped.ts';
import type { Failure } from '../../../mirror/flow/report.ts';
import type { Style } from '../../command.ts';

const NAMES_SHOWN = 3;

/** What failed, each cause once: what was found, its code, and what to do next. */
export function failureLines(failures: readonly Failure[], style: Style): string[] {
  return groupedBy(failures, causeOf).flatMap((alike) => causeLines(alike, style));
}

/** Failures that differ only in names and digests have one cause. */
const causeOf = (failure: Failure): string =>
  `${failure.code} ${failure.hint} ${patternOf(failure)}`;

function patternOf({ subject, message }: Failure): string {
  const [repository = subject] = subject.split(/[:@](?!.*\/)/);
  return message
    .replaceAll(subject, '…')
    .replaceAll(repository, '…')
    .replaceAll(/sha(?:256|512)[:-][0-9a-f]+/g, '…')
    .replaceAll(/[\w.-]+(?::\d+)?(?:\/[\w.-]+)+(?:[:@][\w.:-]+)?/g, '…');
}

function causeLines(failures: readonly Failure[], style: Style): string[] {
  const [first] = failures;
  if (!first) return [];
  const many = failures.length > 1;
  const what = many ? `${failures.length} images` : first.subject;
  const example = many ? ', for example' : '';
  const names = failures.slice(0, NAMES_SHOWN).map(({ subject }) => `  ${subject}`);
  const more = failures.length - NAMES_SHOWN;
  return [
    `${style.red('failed')} ${what}${example}: ${first.message} [${first.code ?? 'BUG'}]`,
    ...(many ? names : []),
    ...(more > 0 ? [style.dim(`  and ${more} more`)] : []),
    ...(first.hint ? [`  next: ${first.hint}`] : []),
  ];
}
