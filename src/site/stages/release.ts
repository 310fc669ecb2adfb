import type { CollectDeps } from '../../content/collecting.ts';
import type { ImageSet } from '../../content/image-set/image-set.ts';
import { parseImageSet, readImageSet } from '../../content/image-set/parse-image-set.ts';
import { createGraphSource } from '../../content/release/graph/graph-source.ts';
import { findVersion, type OpenRelease, openRelease } from '../../content/release/open-release.ts';
import { givenReleaseKeys } from '../../content/release/signatures/release-keys.ts';
import { loadSigstoreKey } from '../../content/release/signatures/sigstore.ts';
import type { Context } from '../../core/context.ts';
import { toYaml } from '../../core/yaml.ts';
import { createWeb } from '../../http/web.ts';
import { WorkingDir } from '../../mirror/flow/working-dir.ts';
import { formatReference, parseReference, tagOrDigestOf } from '../../oci/reference.ts';
import type { Registries } from '../../remote/registries.ts';
import { releaseChannel } from '../inputs.ts';
import { type Site, sitePath } from '../read-site.ts';
import { registryOptions } from './places.ts';
import type { StageWork } from './stage.ts';

/** What the site mirrors, as an image set: its own file, or one made from the site file. */
export async function siteImageSet(site: Site): Promise<ImageSet> {
  if (site.mirror.imageSet) return readImageSet(sitePath(site, site.mirror.imageSet));
  return parseImageSet(imageSetText(site), `${site.path} (mirror)`);
}

function imageSetText({ release, mirror }: Site): string {
  const { version } = release;
  const channel = { name: releaseChannel({ release }), minVersion: version, maxVersion: version };
  return toYaml({
    kind: 'ImageSetConfiguration',
    apiVersion: 'mirror.openshift.io/v2alpha1',
    mirror: {
      platform: {
        architectures: [release.architecture],
        ...(release.image ? { release: release.image } : { channels: [channel] }),
      },
      ...(mirror.operators ? { operators: mirror.operators } : {}),
      ...(mirror.additionalImages ? { additionalImages: mirror.additionalImages } : {}),
    },
  });
}

/** What collecting needs, from the site; `close` ends it. */
export async function siteCollectDeps(
  work: StageWork,
  registries: Registries,
): Promise<{ deps: CollectDeps; close: () => void }> {
  const { mirror } = work.site;
  const at = (path: string) => sitePath(work.site, path);
  const web = createWeb(registryOptions(work), registries.retry);
  const deps: CollectDeps = {
    source: (reference) => registries.source(reference),
    web,
    downloads: new WorkingDir(work.paths.mirror).file('downloads'),
    graph: mirror.graph && (mirror.graph.includes('://') ? mirror.graph : at(mirror.graph)),
    signatureStores: mirror.signatureStore ? [mirror.signatureStore] : undefined,
    releaseKeys: await givenReleaseKeys(mirror.releaseKey ? [at(mirror.releaseKey)] : []),
    sigstoreKey: mirror.sigstoreKey ? await loadSigstoreKey(at(mirror.sigstoreKey)) : undefined,
  };
  return { deps, close: () => web.close() };
}

/** The payload of the release that the site installs; its version is looked up in the update graph. */
export async function openSiteRelease(
  ctx: Context,
  { release }: Site,
  registries: Registries,
  { web, graph }: CollectDeps,
): Promise<OpenRelease> {
  const { image, version = '', architecture } = release;
  const reference = image
    ? parseReference(image)
    : await findVersion(ctx, version, architecture, createGraphSource(web, graph));
  return await openRelease(ctx, {
    reference,
    source: registries.source(reference),
    tagOrDigest: tagOrDigestOf(reference),
    shown: formatReference(reference),
  });
}
