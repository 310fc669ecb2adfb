import * as z from 'zod';
import { AtollError } from '../../../../core/errors.ts';
import { readBytes, readTextIfPresent } from '../../../../core/files.ts';
import { isObject } from '../../../../core/shape.ts';
import { readYaml, toYaml } from '../../../../core/yaml.ts';
import {
  catalogSource,
  clusterCatalog,
  clusterCatalogOff,
  defaultCatalogName,
  operatorHub,
} from '../../../../generate/cluster/catalogs.ts';
import {
  type ComponentOverride,
  clusterVersionPatch,
  type SignatureStore,
  updateService,
} from '../../../../generate/cluster/cluster-version.ts';
import { imageConfig, trustedCaConfigMap } from '../../../../generate/cluster/image-config.ts';
import { telemetryOff } from '../../../../generate/cluster/monitoring-config.ts';
import { releaseSignatures } from '../../../../generate/cluster/release-signatures.ts';
import { samplesConfig } from '../../../../generate/cluster/samples-config.ts';
import { parseDigest } from '../../../../oci/digest.ts';
import { formatReference } from '../../../../oci/reference.ts';
import { defaultClusterCatalogs } from '../../../../openshift/features.ts';
import { parseReleaseVersion } from '../../../../openshift/version.ts';
import { releaseChannel, type SiteInputs } from '../../../../site/inputs.ts';
import { hasMirror, mirrorHost } from '../../../../site/mirror-place.ts';
import { pair, someCertificates } from '../flag-files.ts';
import { many, manyTexts, onOff, some, someTexts, text } from '../flags.ts';
import { renderTarget } from '../target.ts';

/** Images of a kind, by their place in the mirror of a site. */
async function mirroredAs(kind: string, inputs: SiteInputs): Promise<string[]> {
  const images = (await inputs.mirrored()).filter(({ image }) => image.kind === kind);
  return images.map(({ target }) => formatReference(target));
}

const orNone = <T>(values: readonly T[]): T[] | undefined =>
  values.length > 0 ? [...values] : undefined;

function releaseOf({ site: { release } }: SiteInputs) {
  return release.version ? parseReleaseVersion(release.version) : undefined;
}

export const catalogSourcesTarget = renderTarget({
  name: 'catalog-sources',
  summary: 'CatalogSource and ClusterCatalog for mirrored catalogs, defaults off',
  schema: z.object({
    catalog: someTexts('IMAGE', 'Catalog in the mirror; may be given more than once'),
    clusterCatalogs: onOff('Write ClusterCatalogs too (OLM v1, 4.18 and later)'),
    defaults: onOff('Switch the catalogs on the internet off', true),
    defaultNames: onOff(
      'Name CatalogSources as connected clusters do, such as redhat-operators; needs --no-defaults',
    ),
    release: text(
      'VERSION',
      'Release of the cluster: 4.22 brings fewer catalogs than those before it',
    )
      .transform(parseReleaseVersion)
      .optional(),
    pollInterval: text('TIME', 'Look for new images that often, such as 30m').optional(),
    displayName: text('TEXT', 'Name that the console shows').optional(),
  }),
  examples: {
    'atoll render catalog-sources --catalog mirror.example:5000/redhat/redhat-operator-index:v4.18 --no-defaults':
      'one catalog, and no other',
  },
  fromSite: async (inputs) => ({
    catalog: orNone(await mirroredAs('catalog', inputs)),
    defaults: inputs.site.postInstall.defaultCatalogs,
    release: releaseOf(inputs),
  }),
  make: (options) => {
    const { catalog, clusterCatalogs, defaults, release, pollInterval, displayName } = options;
    const catalogs = catalog.toSorted().map((image) => ({ image, pollInterval, displayName }));
    const nameOf = options.defaultNames ? defaultNames(catalog, defaults) : () => undefined;
    return toYaml(
      ...(defaults ? [] : [operatorHub({ defaultsOff: true })]),
      ...catalogs.map((each) => catalogSource({ ...each, name: nameOf(each.image) })),
      ...(clusterCatalogs ? catalogs.map(clusterCatalog) : []),
      ...(clusterCatalogs && !defaults
        ? defaultClusterCatalogs(release).map(clusterCatalogOff)
        : []),
    );
  },
});

/** Two catalogs cannot have one name, and the operator of the defaults takes such names back while they are on. */
function defaultNames(catalogs: readonly string[], defaultsOn: boolean) {
  const named = catalogs.flatMap((image) => defaultCatalogName(image) ?? []);
  const twice = named.find((name, index) => named.indexOf(name) !== index);
  if (!defaultsOn && twice === undefined) return defaultCatalogName;
  const found = defaultsOn ? 'the defaults are on' : `two catalogs would be "${twice}"`;
  throw new AtollError('USAGE', `Cannot use the default names of catalogs: ${found}`, {
    hint: defaultsOn ? 'Add --no-defaults' : 'Leave one of them out, or --default-names',
  });
}

export const imageConfigTarget = renderTarget({
  name: 'image-config',
  summary: 'CAs of registries for image imports and builds',
  schema: z.object({
    ca: someCertificates('ca', 'HOST[:PORT]=FILE', 'PEM of the CA of a registry'),
    name: text('NAME', 'Name of the ConfigMap').default('mirror-ca'),
  }),
  examples: {
    'atoll render image-config --ca mirror.example:5000=ca.crt': 'ConfigMap and image.config',
  },
  fromSite: async (inputs) => {
    const pem = await inputs.trustBundle();
    return pem ? { ca: { [mirrorHost(inputs.site)]: pem } } : {};
  },
  make: ({ ca, name }) =>
    toYaml(trustedCaConfigMap(name, ca), imageConfig({ additionalTrustedCA: name })),
});

export const samplesTarget = renderTarget({
  name: 'samples',
  summary: 'Configuration of the samples operator: removed, or from the mirror',
  schema: z.object({
    registry: text('HOST', 'Take samples from there; removed without it').optional(),
    skip: manyTexts('NAME', 'Image stream that is not mirrored'),
  }),
  examples: {
    'atoll render samples': 'no samples',
    'atoll render samples --registry mirror.example:5000 --skip jenkins': 'from the mirror',
  },
  fromSite: ({ site }) =>
    site.postInstall.samples === 'Managed' && hasMirror(site) ? { registry: mirrorHost(site) } : {},
  make: ({ registry, skip }) =>
    toYaml(
      registry === undefined
        ? samplesConfig({ removed: true })
        : samplesConfig({ registry, skippedImageStreams: skip }),
    ),
});

export const monitoringConfigTarget = renderTarget({
  name: 'monitoring-config',
  summary: 'Configuration of the monitoring that switches telemetry off',
  schema: z.object({}),
  examples: {
    'atoll render monitoring-config': 'nothing inside tries to report to the internet',
  },
  make: () => toYaml(telemetryOff()),
});

export const updateServiceTarget = renderTarget({
  name: 'update-service',
  summary: 'UpdateService that serves the mirrored update graph',
  schema: z.object({
    releases: text('REPOSITORY', 'Release images in the mirror'),
    graphImage: text('IMAGE', 'Graph image in the mirror'),
    name: text('NAME', 'Name of the object').default('update-service'),
  }),
  examples: {
    'atoll render update-service --releases mirror.example:5000/openshift/release-images --graph-image mirror.example:5000/openshift/graph-image:latest':
      'as "atoll mirror sync" put them there',
  },
  fromSite: async (inputs) => ({
    releases: (await mirroredAs('release', inputs))[0]?.replace(/:[^:/]+$/, ''),
    graphImage: (await mirroredAs('graph', inputs))[0],
  }),
  make: ({ releases, graphImage: graphDataImage, name }) =>
    toYaml(updateService({ releases, graphDataImage, name })),
});

export const clusterVersionTarget = renderTarget({
  name: 'cluster-version',
  summary: 'Merge patch for ClusterVersion: overrides, update service, channel',
  schema: z.object({
    override: many(
      'GROUP/KIND/NAMESPACE/NAME',
      'Object the cluster version operator leaves alone; parts may be empty',
      z.string().transform(overrideOf),
    ),
    upstream: text('URL', 'Update service to ask').optional(),
    channel: text('NAME', 'Update channel').optional(),
    signatureStore: many(
      'URL[=CONFIGMAP]',
      'Store of release signatures inside, with the ConfigMap of its CA; needs the feature SignatureStores',
      z.string().transform(storeOf),
    ),
  }),
  examples: {
    'atoll render cluster-version --override config.openshift.io/DNS//cluster --channel stable-4.18':
      'for "oc patch clusterversion version --type merge --patch-file"',
  },
  fromSite: ({ site }) => ({ channel: releaseChannel(site) }),
  make: ({ override, upstream, channel, signatureStore }) =>
    toYaml(
      clusterVersionPatch({
        overrides: orNone(override),
        upstream,
        channel,
        signatureStores: orNone(signatureStore),
      }),
    ),
});

function storeOf(given: string): SignatureStore {
  const [, url = '', ca] = /^(https:\/\/[^=]+)(?:=([a-z0-9.-]+))?$/.exec(given) ?? [];
  if (url !== '') return { url, ca };
  throw new AtollError('USAGE', `Cannot use "--signature-store ${given}"`, {
    hint: 'Write an https:// URL, and after "=" the ConfigMap with its CA where it needs one',
  });
}

function overrideOf(given: string): ComponentOverride {
  const [group = '', kind = '', namespace = '', name = '', ...rest] = given.split('/');
  if (kind !== '' && name !== '' && rest.length === 0) return { group, kind, namespace, name };
  throw new AtollError('USAGE', `Cannot use "--override ${given}"`, {
    hint: 'Write GROUP/KIND/NAMESPACE/NAME, such as "config.openshift.io/DNS//cluster"',
  });
}

export const releaseSignaturesTarget = renderTarget({
  name: 'release-signatures',
  summary: 'ConfigMap with release signatures, so that updates verify inside',
  schema: z.object({
    signature: some(
      'DIGEST=FILE',
      'Signature of a release',
      pair('signature').transform(async ([digest, path]) => ({
        digest: parseDigest(digest),
        bytes: (await readBytes(path)) as Uint8Array,
      })),
    ),
    merge: text('FILE', 'Earlier ConfigMap whose signatures stay')
      .transform(readConfigMap)
      .optional(),
  }),
  examples: {
    'atoll render release-signatures --signature sha256:0000000000000000000000000000000000000000000000000000000000000000=signature-1 --merge signatures.yaml --to signatures.yaml':
      'adds one to those of earlier releases',
  },
  fromSite: async (inputs) => ({ signature: orNone(await inputs.signatures()) }),
  make: ({ signature, merge }) => toYaml(releaseSignatures(signature, merge)),
});

/** A ConfigMap in a file; none where there is no file yet. */
async function readConfigMap(path: string): Promise<object | undefined> {
  const found = await readTextIfPresent(path);
  const [earlier] = found === undefined ? [] : readYaml(found, `"${path}"`);
  if (earlier === undefined) return undefined;
  if (isObject(earlier) && earlier.kind === 'ConfigMap') return earlier;
  throw new AtollError('INPUT_INVALID', `Cannot merge with "${path}": it is no ConfigMap`, {
    hint: 'Give the file this command or "atoll mirror sync" wrote earlier',
    details: { path },
  });
}
