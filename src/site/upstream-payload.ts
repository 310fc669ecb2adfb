import { createGraphSource } from '../content/release/graph/graph-source.ts';
import { findVersion, openRelease } from '../content/release/open-release.ts';
import type { Payload } from '../content/release/payload/payload.ts';
import type { Context } from '../core/context.ts';
import { createWeb } from '../http/web.ts';
import { formatReference, parseReference, tagOrDigestOf } from '../oci/reference.ts';
import { createRegistries } from '../remote/create-registries.ts';
import { type Site, sitePath } from './read-site.ts';

/** The release from upstream, with the pull secret of the site: no mirror is there yet when it is asked for. */
export async function upstreamPayload(ctx: Context, site: Site): Promise<Payload> {
  const at = (path: string | undefined) => (path === undefined ? undefined : sitePath(site, path));
  const { mirror, release, cluster } = site;
  const options = {
    authfile: sitePath(site, cluster.pullSecret),
    ca: mirror.ca ? [sitePath(site, mirror.ca)] : [],
    registriesConf: at(mirror.registriesConf),
  };
  const web = createWeb(options);
  const registries = createRegistries(options);
  try {
    const graph = mirror.graph?.includes('://') ? mirror.graph : at(mirror.graph);
    const reference = release.image
      ? parseReference(release.image)
      : await findVersion(
          ctx,
          release.version ?? '',
          release.architecture,
          createGraphSource(web, graph),
        );
    const { payload } = await openRelease(ctx, {
      reference,
      source: registries.source(reference),
      tagOrDigest: tagOrDigestOf(reference),
      shown: formatReference(reference),
    });
    return payload;
  } finally {
    web.close();
    await registries.close();
  }
}
