import { createGraphSource } from '../../content/release/graph/graph-source.ts';
import { findVersion } from '../../content/release/open-release.ts';
import type { Context } from '../../core/context.ts';
import { type AtollError, isTransient } from '../../core/errors.ts';
import { exists } from '../../core/files.ts';
import { INDEX_FILE } from '../../mirror/bundle/bundle-index.ts';
import { parseReference, type Reference, tagOrDigestOf } from '../../oci/reference.ts';
import type { PreflightCheck } from '../../platform/platform.ts';
import type { Registries } from '../../remote/registries.ts';
import { isElsewhere } from '../bastion/bastion-place.ts';
import { sitePath } from '../read-site.ts';
import { requireInChannel } from '../release-channel.ts';
import { siteCollectDeps, siteImageSet } from '../stages/release.ts';
import type { StageWork } from '../stages/stage.ts';
import { failureOf, hintFor, problem, quiet, withImpatientRegistries } from './probe.ts';

const SUBJECT = 'source ';

/** The registry that a check of {@link sourceChecks} is about. */
export const sourceOf = ({ subject }: PreflightCheck): string | undefined =>
  subject.startsWith(SUBJECT) ? subject.slice(SUBJECT.length) : undefined;

/** Each registry that something is mirrored from, asked for one image of it. */
export async function sourceChecks(ctx: Context, work: StageWork): Promise<PreflightCheck[]> {
  // A bastion elsewhere has another way to them, and looks itself before it moves anything.
  if (isElsewhere(work.site) || (await isCarried(work))) return [];
  const authfile = sitePath(work.site, work.site.cluster.pullSecret);
  return await withImpatientRegistries(work, authfile, async (registries) => {
    const { references, failed } = await wantedReferences(quiet(ctx), work, registries);
    const first = new Map(references.toReversed().map((one) => [one.registry, one]));
    const checks = [...first.values()].map(async (reference) => {
      const failure = await failureOf(() =>
        registries.source(reference).resolve(quiet(ctx), tagOrDigestOf(reference)),
      );
      return checkOf(reference.registry, failure);
    });
    return [...(await Promise.all(checks)), ...failed];
  });
}

/** A bundle that was carried here needs no upstream. */
const isCarried = async ({ site, paths }: StageWork): Promise<boolean> =>
  site.mirror.flow === 'bundle' && (await exists(`${paths.bundle}/${INDEX_FILE}`));

function checkOf(registry: string, failure: AtollError | undefined): PreflightCheck {
  const subject = `${SUBJECT}${registry}`;
  if (failure === undefined) return { subject, severity: 'ok', message: 'it answers' };
  const fields = { ca: 'mirror.ca', login: 'cluster.pullSecret' };
  const hint = hintFor(failure, fields) ?? 'See mirror in the site file';
  const { code, message } = failure;
  // One that is only down now may be back soon; a name that nobody knows will not come by itself.
  const isPassing = isTransient(failure) && code !== 'NAME_UNRESOLVED';
  return { ...problem(subject, message, hint), severity: isPassing ? 'warning' : 'error', code };
}

interface Wanted {
  readonly references: readonly Reference[];
  readonly failed: readonly PreflightCheck[];
}

async function wantedReferences(
  ctx: Context,
  work: StageWork,
  registries: Registries,
): Promise<Wanted> {
  const { operators, additionalImages, platform } = await siteImageSet(work.site);
  const origins = [...operators, ...additionalImages].map(({ origin }) => origin);
  const references = origins.flatMap((one) => (one.kind === 'registry' ? one.reference : []));
  if (!platform && work.site.steps.skip.includes('tools')) return { references, failed: [] };
  const { reference, failed } = await releaseOf(ctx, work, registries);
  return { references: reference ? [...references, reference] : references, failed };
}

/** The release image, for which the update graph may have to be asked. */
async function releaseOf(ctx: Context, work: StageWork, registries: Registries) {
  const { image, version = '', architecture } = work.site.release;
  if (image) return { reference: parseReference(image), failed: [] };
  const { deps, close } = await siteCollectDeps(work, registries);
  let reference: Reference | undefined;
  try {
    const failure = await failureOf(async () => {
      const graphs = createGraphSource(deps.web, deps.graph);
      reference = await findVersion(ctx, version, architecture, graphs);
      if (!work.site.mirror.imageSet) await requireInChannel(ctx, work.site, graphs);
    });
    return { reference, failed: failure ? [checkOf('of the update graph', failure)] : [] };
  } finally {
    close();
  }
}
