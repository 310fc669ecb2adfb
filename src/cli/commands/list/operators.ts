import { bundleViews, channelViews, packageViews } from '../../../content/catalog/catalog-views.ts';
import { AtollError } from '../../../core/errors.ts';
import { defaultCatalogImages } from '../../../openshift/features.ts';
import { parseReleaseVersion } from '../../../openshift/version.ts';
import { defineCommand } from '../../command.ts';
import { onOff, text } from '../../flags.ts';
import { REGISTRY_OPTIONS } from '../../registry-options.ts';
import { table } from '../../table.ts';
import { readCatalogOf } from '../catalog/open-catalog.ts';

type Rows = readonly (readonly string[])[];

interface Listed {
  readonly what: 'catalogs' | 'packages' | 'channels' | 'versions';
  readonly head: readonly string[];
  readonly rows: Rows;
}

export const listOperatorsCommand = defineCommand({
  name: 'list operators',
  summary: 'List operator catalogs, their packages, channels and versions',
  description:
    'The words are those of "oc-mirror list operators". "atoll catalog packages", "channels" and "bundles" say more of each.',
  options: {
    catalogs: onOff('List the catalogs of a release; needs --version'),
    version: text('X.Y', 'Release, such as 4.18'),
    catalog: text('IMAGE', 'List the packages of this catalog'),
    package: text('NAME', 'List the channels of this package'),
    channel: text('NAME', 'List the versions in this channel of the package'),
    ...REGISTRY_OPTIONS,
  },
  examples: {
    'atoll list operators --catalogs --version 4.18': 'catalogs of a release',
    'atoll list operators --catalog registry.redhat.io/redhat/redhat-operator-index:v4.18':
      'packages',
    'atoll list operators --catalog registry.redhat.io/redhat/redhat-operator-index:v4.18 --package quay-operator':
      'channels of a package',
  },
  async run(ctx, { options, terminal }): Promise<Listed> {
    const { catalog: name, package: operator, channel, version } = options;
    if (name === undefined) return catalogsOf(version);
    if (channel !== undefined && operator === undefined)
      throw usage('--channel needs --package', 'Say of which package, such as --package NAME');
    const catalog = await readCatalogOf(ctx, name, options, terminal);
    if (operator === undefined)
      return {
        what: 'packages',
        head: ['NAME', 'DEFAULT CHANNEL'],
        rows: packageViews(catalog).map((each) => [each.name, each.defaultChannel]),
      };
    if (channel === undefined)
      return {
        what: 'channels',
        head: ['PACKAGE', 'CHANNEL', 'HEAD'],
        rows: channelViews(catalog, operator).map((each) => [
          ...[each.package, each.name, each.head ?? '-'],
        ]),
      };
    const bundles = bundleViews(catalog, { package: operator, channel });
    return {
      what: 'versions',
      head: ['VERSION', 'BUNDLE'],
      rows: bundles.map((each) => [each.version ?? '-', each.name]),
    };
  },
  text: ({ head, rows }, style) =>
    table(
      [...head],
      rows.map((row) => [...row]),
      style,
    ),
});

function catalogsOf(version: string | undefined): Listed {
  if (version === undefined)
    throw usage('there is neither --catalog nor --version', 'Add --catalogs --version 4.18');
  const images = defaultCatalogImages(parseReleaseVersion(version));
  return { what: 'catalogs', head: ['CATALOG'], rows: images.map((image) => [image]) };
}

function usage(found: string, hint: string): AtollError {
  return new AtollError('USAGE', `Cannot list operators: ${found}`, { hint });
}
