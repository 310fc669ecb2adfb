import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { ContentImage } from '../../../content/content-image.ts';
import { collectLocalCharts } from '../../../content/helm/collect-helm.ts';
import type { HelmChart, ImageSet } from '../../../content/image-set/image-set.ts';
import type { Context } from '../../../core/context.ts';
import { writeFileAtomic } from '../../../core/files.ts';
import type { OcArchive } from '../../bundle/oc-archive/oc-archive.ts';

const CHART = /(?:^|\/)working-dir\/helm\/charts\/[^/]+\.tgz$/;
const NAME = /^(?<name>.+)-v?(?<version>\d+\.\d+\.\d+.*)\.tgz$/;

/** Images of the charts that archives hold, and of those that lie on this machine, where oc-mirror looks for them, too: rendered as it rendered them. */
export async function chartImages(
  ctx: Context,
  archive: OcArchive,
  set: ImageSet | undefined,
): Promise<readonly ContentImage[]> {
  const charts = archive.files(CHART);
  const beside = set?.helm.local ?? [];
  if (charts.length + beside.length === 0) return [];
  const folder = await mkdtemp(join(tmpdir(), 'atoll-charts-'));
  try {
    const local: HelmChart[] = [...beside];
    for (const [path, file] of charts) {
      const place = join(folder, basename(path));
      await writeFileAtomic(place, await file.bytes(ctx));
      local.push(chartOf(place, set));
    }
    const { images, failures } = await collectLocalCharts(ctx, local);
    for (const { subject, message, hint } of failures)
      ctx.emit({
        type: 'warning.raised',
        subject,
        message: `Where the images of ${subject} came from is not known: ${message}`,
        ...(hint ? { hint } : {}),
      });
    return images;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** What the configuration says of a chart, found by its name. */
function chartOf(path: string, set: ImageSet | undefined): HelmChart {
  const { name = basename(path, '.tgz'), version } = NAME.exec(basename(path))?.groups ?? {};
  const charts = set?.helm.repositories.flatMap((repository) => repository.charts) ?? [];
  const asked = charts.find((chart) => chart.name === name);
  return {
    name,
    version,
    platforms: undefined,
    imagePaths: [],
    valuesFiles: [],
    ...asked,
    path,
  };
}
