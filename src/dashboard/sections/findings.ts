import type { Context } from '../../core/context.ts';
import { exists } from '../../core/files.ts';
import { diagnose } from '../../observe/diagnose.ts';
import type { Finding } from '../../observe/findings.ts';
import type { FindingRow } from '../model/page-data.ts';

/** What the logs say went wrong, causes above consequences. Undefined where there are no logs. */
export async function readFindings(
  ctx: Context,
  evidence: readonly string[],
): Promise<readonly FindingRow[] | undefined> {
  const present = await presentOf(evidence);
  if (present.length === 0) return undefined;
  const { findings } = await diagnose(ctx, present);
  return findings.map(rowOf);
}

export async function presentOf(paths: readonly string[]): Promise<readonly string[]> {
  const there = await Promise.all(paths.map((path) => exists(path)));
  return paths.filter((_, index) => there[index]);
}

function rowOf({
  id,
  kind,
  cause,
  remedy,
  commands,
  count,
  firstAt,
  evidence,
}: Finding): FindingRow {
  return {
    id,
    from: 'diagnosis',
    kind: kind === 'symptom' ? 'symptom' : 'root',
    title: cause,
    remedy,
    commands,
    count,
    firstAt,
    evidence: evidence.map(({ file, line, text }) => ({ place: `${file}:${line}`, text })),
  };
}
