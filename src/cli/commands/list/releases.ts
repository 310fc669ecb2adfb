import type { ReleaseArchitecture } from '../../../content/image-set/image-set.ts';
import { createGraphSource } from '../../../content/release/graph/graph-source.ts';
import {
  channelsOfVersion,
  type ListedRelease,
  minorVersions,
  releasesOfChannel,
} from '../../../content/release/list-releases.ts';
import { AtollError } from '../../../core/errors.ts';
import { createWeb } from '../../../http/web.ts';
import { parseReference } from '../../../oci/reference.ts';
import { RELEASE_REPOSITORY } from '../../../openshift/repositories.ts';
import { defineCommand } from '../../command.ts';
import { onOff, text, texts } from '../../flags.ts';
import { REGISTRY_OPTIONS, registryOptionsFrom, withRegistries } from '../../registry-options.ts';
import { table } from '../../table.ts';

const ARCHITECTURES = ['amd64', 'arm64', 'ppc64le', 's390x', 'multi'] as const;

type Listed =
  | { readonly versions: readonly string[] }
  | { readonly channels: readonly string[] }
  | { readonly channel: string; readonly releases: readonly ListedRelease[] };

export const listReleasesCommand = defineCommand({
  name: 'list releases',
  summary: 'List OpenShift releases: versions, channels, or what is in a channel',
  description:
    'The words are those of "oc-mirror list releases". Without flags it lists the minor versions there are; with --version the releases of its stable channel, with --channels the channels it is in.',
  options: {
    version: text('X.Y', 'Minor version, such as 4.18'),
    channel: text('NAME', 'Channel, such as fast-4.18; stable of the version by default'),
    channels: onOff('List the channels of the version instead'),
    filterByArchs: texts('ARCH[,ARCH]', `Architectures: ${ARCHITECTURES.join(', ')}`),
    graph: text('URL|FILE', 'Update graph, instead of the public service'),
    ...REGISTRY_OPTIONS,
  },
  examples: {
    'atoll list releases': 'minor versions',
    'atoll list releases --version 4.18': 'releases of stable-4.18',
    'atoll list releases --version 4.18 --channels': 'channels of 4.18',
    'atoll list releases --channel fast-4.18 --filter-by-archs amd64,arm64': 'another channel',
  },
  async run(ctx, { options, terminal }): Promise<Listed> {
    const { version, channel = version && `stable-${version}` } = options;
    if (channel === undefined) {
      const { registry, repository } = parseReference(RELEASE_REPOSITORY);
      const versions = await withRegistries(options, terminal, (registries) =>
        minorVersions(ctx, registries.source({ registry, repository })),
      );
      return { versions };
    }
    if (options.channels && version === undefined)
      throw new AtollError('USAGE', 'Cannot list channels: --version is missing', {
        hint: 'Say of which version, such as --version 4.18',
      });
    const web = createWeb(registryOptionsFrom(options, terminal));
    try {
      const graphs = createGraphSource(web, options.graph);
      if (options.channels && version)
        return { channels: await channelsOfVersion(ctx, graphs, version) };
      const archs = architecturesOf(options.filterByArchs);
      return { channel, releases: await releasesOfChannel(ctx, graphs, channel, archs) };
    } finally {
      web.close();
    }
  },
  text: (listed, style) => {
    if ('versions' in listed) return listed.versions.join('\n');
    if ('channels' in listed) return listed.channels.join('\n');
    const rows = listed.releases.map(({ version, architecture, url }) => [
      ...[version, architecture, url ?? ''],
    ]);
    return table(['VERSION', 'ARCHITECTURE', 'ERRATA'], rows, style);
  },
});

function architecturesOf(given: readonly string[]): ReleaseArchitecture[] {
  const wanted = given.flatMap((each) => each.split(','));
  const unknown = wanted.find((each) => !ARCHITECTURES.some((known) => known === each));
  if (unknown !== undefined)
    throw new AtollError('USAGE', `Cannot list releases for "${unknown}"`, {
      hint: `Architectures are ${ARCHITECTURES.join(', ')}`,
    });
  return wanted.length === 0 ? ['amd64'] : (wanted as ReleaseArchitecture[]);
}
