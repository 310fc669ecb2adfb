import { readReport } from '../../mirror/flow/read-report.ts';
import { WorkingDir } from '../../mirror/flow/working-dir.ts';
import type { Need } from '../../mirror/need.ts';
import type { ImageRow } from '../model/page-data.ts';

/** Every image of the last images stage, with what needs it. Empty before there was one. */
export async function readImages(mirror: string): Promise<readonly ImageRow[]> {
  const report = await readReport(new WorkingDir(mirror)).catch(() => undefined);
  return (report?.images ?? []).map((image) => ({
    kind: image.kind,
    source: image.source,
    target: image.target,
    digest: image.digest,
    sizeBytes: image.sizeBytes,
    copiedBytes: image.copiedBytes,
    outcome: image.outcome,
    reason: image.reason,
    neededBy: (image.neededBy ?? []).map(wordsOf),
    component: image.component,
    error: image.error?.message,
  }));
}

/** What needs it, short enough for a cell. */
function wordsOf(need: Need): string {
  switch (need.kind) {
    case 'release':
      return need.tag;
    case 'bundle':
    case 'package':
      return need.name;
    case 'catalog':
      return need.catalog;
    case 'chart':
      return need.version ? `${need.name} ${need.version}` : need.name;
    case 'additional':
      return need.source;
    case 'graph':
      return 'graph';
  }
}
