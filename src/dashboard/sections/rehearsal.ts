import { stat } from 'node:fs/promises';
import { readTextIfPresent } from '../../core/files.ts';
import { parseJson } from '../../core/shape.ts';
import { rehearsalSchema } from '../../rehearse/isolate/child-result.ts';
import { rehearsalFile } from '../../site/rehearse-site.ts';
import type { FindingRow, RehearsalData } from '../model/page-data.ts';

/** What the last rehearsal of the site found; undefined where there was none. */
export async function readRehearsal(state: string): Promise<RehearsalData | undefined> {
  const path = rehearsalFile(state);
  const text = await readTextIfPresent(path);
  const rehearsal = rehearsalSchema.safeParse(parseJson(text ?? '')).data;
  if (!rehearsal) return undefined;
  const { clean, images, pullable, registries, unchecked, findings } = rehearsal;
  const at = (await stat(path)).mtime.toISOString();
  return { at, clean, images, pullable, registries, unchecked, findings };
}

/** Holes are findings, too: they are what would have gone wrong. */
export function rehearsalFindings(rehearsal: RehearsalData | undefined): readonly FindingRow[] {
  return (rehearsal?.findings ?? []).map((finding) => ({
    id: finding.cause,
    from: 'rehearsal',
    kind: finding.severity,
    title: finding.title,
    remedy: finding.rule,
    commands: finding.commands,
    count: Math.max(1, finding.images.length),
    firstAt: rehearsal?.at,
    evidence: finding.evidence.map((text) => ({ place: '', text })),
  }));
}
