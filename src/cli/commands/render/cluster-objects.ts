import { AtollError } from '../../../core/errors.ts';
import { readBytes, readTextIfPresent } from '../../../core/files.ts';
import { isObject } from '../../../core/shape.ts';
import {
  type ComponentOverride,
  clusterVersionPatch,
  updateService,
} from '../../../generate/cluster/cluster-version.ts';
import { imageConfig, trustedCaConfigMap } from '../../../generate/cluster/image-config.ts';
import { releaseSignatures } from '../../../generate/cluster/release-signatures.ts';
import { samplesConfig } from '../../../generate/cluster/samples-config.ts';
import { readYaml, toYaml } from '../../../generate/yaml.ts';
import { parseDigest } from '../../../oci/digest.ts';
import { readNamedCertificates, splitPair } from './flag-values.ts';
import { renderCommand } from './render-command.ts';

export const renderImageConfigCommand = renderCommand({
  name: 'render image-config',
  summary: 'CAs of registries for image imports and builds',
  options: {
    ca: {
      type: 'strings',
      value: 'HOST[:PORT]=FILE',
      required: true,
      summary: 'PEM of the CA of a registry',
    },
    name: { type: 'string', value: 'NAME', default: 'mirror-ca', summary: 'Name of the ConfigMap' },
  },
  examples: [
    ['atoll render image-config --ca mirror.example:5000=ca.crt', 'ConfigMap and image.config'],
  ],
  async render(_ctx, { options }) {
    const certificates = await readNamedCertificates('ca', options.ca);
    const objects = [
      trustedCaConfigMap(options.name, certificates),
      imageConfig({ additionalTrustedCA: options.name }),
    ];
    return { contents: toYaml(...objects) };
  },
});

export const renderSamplesCommand = renderCommand({
  name: 'render samples',
  summary: 'Configuration of the samples operator: removed, or from the mirror',
  options: {
    registry: {
      type: 'string',
      value: 'HOST',
      summary: 'Take samples from there; removed without it',
    },
    skip: { type: 'strings', value: 'NAME', summary: 'Image stream that is not mirrored' },
  },
  examples: [
    ['atoll render samples', 'no samples'],
    ['atoll render samples --registry mirror.example:5000 --skip jenkins', 'from the mirror'],
  ],
  async render(_ctx, { options: { registry, skip } }) {
    const config =
      registry === undefined
        ? samplesConfig({ removed: true })
        : samplesConfig({ registry, skippedImageStreams: skip });
    return { contents: toYaml(config) };
  },
});

export const renderUpdateServiceCommand = renderCommand({
  name: 'render update-service',
  summary: 'UpdateService that serves the mirrored update graph',
  options: {
    releases: {
      type: 'string',
      value: 'REPOSITORY',
      required: true,
      summary: 'Release images in the mirror',
    },
    graphImage: {
      type: 'string',
      value: 'IMAGE',
      required: true,
      summary: 'Graph image in the mirror',
    },
    name: {
      type: 'string',
      value: 'NAME',
      default: 'update-service',
      summary: 'Name of the object',
    },
  },
  examples: [
    [
      'atoll render update-service --releases mirror.example:5000/openshift/release-images --graph-image mirror.example:5000/openshift/graph-image:latest',
      'as "atoll mirror sync" put them there',
    ],
  ],
  async render(_ctx, { options: { releases, graphImage, name } }) {
    return { contents: toYaml(updateService({ releases, graphDataImage: graphImage, name })) };
  },
});

export const renderClusterVersionCommand = renderCommand({
  name: 'render cluster-version',
  summary: 'Merge patch for ClusterVersion: overrides, update service, channel',
  options: {
    override: {
      type: 'strings',
      value: 'GROUP/KIND/NAMESPACE/NAME',
      summary: 'Object the cluster version operator leaves alone; parts may be empty',
    },
    upstream: { type: 'string', value: 'URL', summary: 'Update service to ask' },
    channel: { type: 'string', value: 'NAME', summary: 'Update channel' },
  },
  examples: [
    [
      'atoll render cluster-version --override config.openshift.io/DNS//cluster --channel stable-4.18',
      'for "oc patch clusterversion version --type merge --patch-file"',
    ],
  ],
  async render(_ctx, { options }) {
    const overrides = options.override.length > 0 ? options.override.map(overrideOf) : undefined;
    const { upstream, channel } = options;
    return { contents: toYaml(clusterVersionPatch({ overrides, upstream, channel })) };
  },
});

function overrideOf(text: string): ComponentOverride {
  const [group = '', kind = '', namespace = '', name = '', ...rest] = text.split('/');
  if (kind !== '' && name !== '' && rest.length === 0) return { group, kind, namespace, name };
  throw new AtollError('USAGE', `Cannot use "--override ${text}"`, {
    hint: 'Write GROUP/KIND/NAMESPACE/NAME, such as "config.openshift.io/DNS//cluster"',
  });
}

export const renderReleaseSignaturesCommand = renderCommand({
  name: 'render release-signatures',
  summary: 'ConfigMap with release signatures, so that updates verify inside',
  options: {
    signature: {
      type: 'strings',
      value: 'DIGEST=FILE',
      required: true,
      summary: 'Signature of a release',
    },
    merge: { type: 'string', value: 'FILE', summary: 'Earlier ConfigMap whose signatures stay' },
  },
  examples: [
    [
      'atoll render release-signatures --signature sha256:0000000000000000000000000000000000000000000000000000000000000000=signature-1 --merge signatures.yaml --to signatures.yaml',
      'adds one to those of earlier releases',
    ],
  ],
  async render(_ctx, { options }) {
    const signatures = await Promise.all(
      options.signature.map(async (text) => {
        const [digest, path] = splitPair('signature', text);
        return { digest: parseDigest(digest), bytes: await readBytes(path) };
      }),
    );
    const path = options.merge;
    const text = path === undefined ? undefined : await readTextIfPresent(path);
    const [earlier] = text === undefined ? [] : readYaml(text, `"${path}"`);
    if (earlier !== undefined && !isConfigMap(earlier)) throw noConfigMap(path ?? '');
    return { contents: toYaml(releaseSignatures(signatures, earlier)) };
  },
});

const isConfigMap = (value: unknown): value is object =>
  isObject(value) && value.kind === 'ConfigMap';

const noConfigMap = (path: string) =>
  new AtollError('INPUT_INVALID', `Cannot merge with "${path}": it is no ConfigMap`, {
    hint: 'Give the file this command or "atoll mirror sync" wrote earlier',
    details: { path },
  });
