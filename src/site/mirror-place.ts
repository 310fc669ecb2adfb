import { type Site, sitePath } from './read-site.ts';
import { MIRROR_TYPES, type SiteFile } from './schema.ts';
import type { SitePaths } from './site-paths.ts';

/** A private site may live without one. */
export const hasMirror = ({ registry }: Pick<SiteFile, 'registry'>): boolean =>
  MIRROR_TYPES.some((type) => type === registry.type);

/** The mirror as nodes name it: `host:port`. */
export function mirrorHost({ registry, name }: Pick<Site, 'registry' | 'name'>): string {
  return `${registry.host ?? `mirror.${name}.example`}:${registry.port}`;
}

/** The name of the mirror, without its port. */
export function mirrorName(site: Pick<Site, 'registry' | 'name'>): string {
  return mirrorHost(site).replace(/:\d+$/, '');
}

/** The mirror with the path all its repositories start with. */
export function mirrorLocation(site: Pick<Site, 'registry' | 'name'>): string {
  return site.registry.path ? `${mirrorHost(site)}/${site.registry.path}` : mirrorHost(site);
}

/** PEM file of the CA of the mirror; undefined when the system trusts it. */
export function mirrorCa({
  site,
  paths,
}: {
  readonly site: Site;
  readonly paths: SitePaths;
}): string | undefined {
  if (site.registry.ca) return sitePath(site, site.registry.ca);
  return site.registry.type === 'embedded' ? `${paths.registry}/tls/ca.crt` : undefined;
}
