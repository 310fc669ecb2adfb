import { join } from 'node:path';
import type { Context } from '../../core/context.ts';
import { readTextIfPresent, SECRET_MODE } from '../../core/files.ts';
import { toYaml } from '../../core/yaml.ts';
import type { Host } from '../../host/host.ts';
import { NOTED_FILES } from '../../platform/platform.ts';
import { platformFiles } from '../platform-files.ts';
import { proxyHost } from '../proxy-place.ts';
import { type Site, sitePath } from '../read-site.ts';
import { type BastionPlace, bastionPlace } from './bastion-place.ts';

interface SiteThere {
  readonly document: Readonly<Record<string, unknown>>;
  /** Path here and there. */
  readonly files: readonly (readonly [string, string])[];
}

/**
 * The site as the bastion itself sees it: its stages run there on "this machine", with copies of
 * the files that the site names. What only another stage reads stays here.
 */
function siteThere(site: Site): SiteThere {
  const place = bastionPlace(site);
  const files: (readonly [string, string])[] = [];
  const carried = (field: string, path: string | undefined) => {
    if (path === undefined) return undefined;
    const there = join(place.files, field);
    files.push([sitePath(site, path), there]);
    return there;
  };
  const { name, mode, release, registry, proxy, mirror, cluster, postInstall } = site;
  const isUrl = mirror.graph?.includes('://');
  const copies = platformFiles(site).map(([field, path]) => [
    field,
    carried(`platform-${field}`, path),
  ]);
  const platformCopies = Object.fromEntries(copies);
  const document = {
    name,
    mode,
    release,
    platform: { ...site.platform, ...platformCopies },
    // There it is this machine; without a word, a platform that makes bastions would make one.
    ...(site.platformKind.makesBastion ? { bastion: { address: 'localhost' } } : {}),
    registry: {
      ...registry,
      ca: carried('registry-ca.pem', registry.ca),
      authfile: carried('registry-auth.json', registry.authfile),
    },
    proxy: { ...proxy, host: proxy.enabled ? proxyHost(site) : proxy.host },
    mirror: {
      ...mirror,
      imageSet: carried('image-set.yaml', mirror.imageSet),
      graph: isUrl ? mirror.graph : carried('graph.json', mirror.graph),
      releaseKey: carried('release.asc', mirror.releaseKey),
      sigstoreKey: carried('sigstore.pub', mirror.sigstoreKey),
      registriesConf: carried('registries.conf', mirror.registriesConf),
      ca: carried('upstream-ca.pem', mirror.ca),
    },
    cluster: {
      ...cluster,
      pullSecret: place.pullSecret,
      sshKey: carried('node.pub', cluster.sshKey),
    },
    postInstall,
  };
  return { document: JSON.parse(JSON.stringify(document)), files };
}

/** Brings the site file and what it names to the bastion. Nothing is sent that is there already. */
export async function carrySite(ctx: Context, host: Host, site: Site): Promise<BastionPlace> {
  const place = bastionPlace(site);
  const { document, files } = siteThere(site);
  for (const [here, there] of files)
    await host.put(ctx, there, { file: here }, { mode: SECRET_MODE });
  const text = `# Written by atoll on the machine that works on this site.\n${toYaml(document)}`;
  await host.put(ctx, place.siteFile, text, { mode: SECRET_MODE });
  for (const name of NOTED_FILES) {
    const noted = await readTextIfPresent(join(site.state, name));
    if (noted !== undefined)
      await host.put(ctx, join(place.paths.state, name), noted, { mode: SECRET_MODE });
  }
  return place;
}
