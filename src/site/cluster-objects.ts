import { join } from 'node:path';
import { type KubeObject, objectSchema } from '../cluster/api/object.ts';
import { readObjects } from '../cluster/apply/read-objects.ts';
import type { Expectation } from '../cluster/verify/snapshot.ts';
import { exists } from '../core/files.ts';
import { clusterCatalogOff } from '../generate/cluster/catalogs.ts';
import { imageConfig, trustedCaConfigMap } from '../generate/cluster/image-config.ts';
import { telemetryOff } from '../generate/cluster/monitoring-config.ts';
import { defaultClusterCatalogs } from '../openshift/features.ts';
import { parseReleaseVersion } from '../openshift/version.ts';
import { installedKubeconfig } from '../platform/shared/installer.ts';
import type { SiteInputs } from './inputs.ts';
import { hasMirror, mirrorHost } from './mirror-place.ts';

const CA_NAME = 'atoll-mirror-ca';

/** Where the installer leaves the kubeconfig of a site. */
export const siteKubeconfig = ({ paths }: Pick<SiteInputs, 'paths'>): string =>
  installedKubeconfig(paths);

/** All that a running cluster needs to live from the mirror of this site. */
export async function clusterObjects(inputs: SiteInputs): Promise<KubeObject[]> {
  const { site, paths } = inputs;
  const folder = join(paths.mirror, 'working-dir', 'cluster-resources');
  const mirrored = (await exists(folder)) ? await readObjects([folder]) : [];
  const ca = await inputs.trustBundle();
  const own = [
    ...(ca ? [trustedCaConfigMap(CA_NAME, { [mirrorHost(site)]: ca })] : []),
    ...(ca ? [imageConfig({ additionalTrustedCA: CA_NAME })] : []),
    ...inputs.manifests(),
    ...(isTelemetryOn(site) ? [] : [telemetryOff()]),
    ...(site.postInstall.defaultCatalogs ? [] : catalogsOff(site.release.version)),
  ];
  return [...mirrored, ...own.map((object) => objectSchema.parse(object))];
}

const isTelemetryOn = ({ mode, postInstall }: SiteInputs['site']) =>
  postInstall.telemetry ?? mode === 'private';

const catalogsOff = (version: string | undefined) =>
  defaultClusterCatalogs(version ? parseReleaseVersion(version) : undefined).map(clusterCatalogOff);

/** What the cluster of this site is held to. */
export async function clusterExpectation(inputs: SiteInputs): Promise<Expectation> {
  const { site } = inputs;
  const mirrored = await inputs.mirrored();
  return {
    version: site.release.version,
    mirror: hasMirror(site) ? mirrorHost(site) : undefined,
    wayOut: site.mode === 'private',
    mirrored: mirrored.length > 0 ? new Set(mirrored.map(({ digest }) => digest)) : undefined,
  };
}
