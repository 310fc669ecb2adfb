import { bundleViews, channelViews, packageViews } from '../../../content/catalog/catalog-views.ts';
import { defineCommand } from '../../command.ts';
import { text } from '../../flags.ts';
import { REGISTRY_OPTIONS } from '../../registry-options.ts';
import { table } from '../../table.ts';
import { CATALOG_ARGUMENT, readCatalogOf } from './open-catalog.ts';

export const catalogPackagesCommand = defineCommand({
  name: 'catalog packages',
  summary: 'List the operators of a catalog',
  arguments: [
    CATALOG_ARGUMENT,
    { name: 'filter', summary: 'Only names that contain this', optional: true },
  ],
  options: { ...REGISTRY_OPTIONS },
  examples: {
    'atoll catalog packages registry.redhat.io/redhat/redhat-operator-index:v4.18':
      'every package with its default channel and newest version',
    'atoll catalog packages oci:catalog cert --output json': 'from a layout on disk',
  },
  async run(ctx, { args, options, terminal }) {
    const catalog = await readCatalogOf(ctx, args.catalog ?? '', options, terminal);
    const packages = packageViews(catalog).filter(({ name }) => name.includes(args.filter ?? ''));
    return { packages };
  },
  text: ({ packages }, style) =>
    table(
      ['PACKAGE', 'DEFAULT CHANNEL', 'VERSION', 'CHANNELS', 'BUNDLES', 'NOTES'],
      packages.map((each) => [
        each.name,
        each.defaultChannel,
        each.version ?? '-',
        String(each.channels.length),
        String(each.bundles),
        [...(each.deprecated ? ['deprecated'] : []), ...each.problems].join('; '),
      ]),
      style,
    ),
});

export const catalogChannelsCommand = defineCommand({
  name: 'catalog channels',
  summary: 'List the channels of a catalog or of one operator',
  arguments: [
    CATALOG_ARGUMENT,
    { name: 'package', summary: 'Only this operator; all by default', optional: true },
  ],
  options: { ...REGISTRY_OPTIONS },
  examples: {
    'atoll catalog channels registry.redhat.io/redhat/redhat-operator-index:v4.18 quay-operator':
      'the channels of one operator and their heads',
  },
  async run(ctx, { args, options, terminal }) {
    const catalog = await readCatalogOf(ctx, args.catalog ?? '', options, terminal);
    return { channels: channelViews(catalog, args.package) };
  },
  text: ({ channels }, style) =>
    table(
      ['PACKAGE', 'CHANNEL', 'VERSION', 'HEAD', 'ENTRIES', 'NOTES'],
      channels.map((each) => [
        each.package,
        each.name,
        each.version ?? '-',
        each.head ?? '-',
        String(each.entries),
        [...(each.isDefault ? ['default'] : []), ...(each.deprecated ? ['deprecated'] : [])].join(
          ', ',
        ),
      ]),
      style,
    ),
});

export const catalogBundlesCommand = defineCommand({
  name: 'catalog bundles',
  summary: 'List the versions of the operators in a catalog, and what they need',
  arguments: [CATALOG_ARGUMENT],
  options: {
    package: text('NAME', 'Only this operator'),
    channel: text('NAME', 'Only this channel'),
    ...REGISTRY_OPTIONS,
  },
  examples: {
    'atoll catalog bundles registry.redhat.io/redhat/redhat-operator-index:v4.18 --package odf-operator':
      'every version, and what has to come along',
    'atoll catalog bundles oci:catalog --package odf-operator --output json':
      'with all their images',
  },
  async run(ctx, { args, options, terminal }) {
    const catalog = await readCatalogOf(ctx, args.catalog ?? '', options, terminal);
    const bundles = bundleViews(catalog, {
      ...(options.package === undefined ? {} : { package: options.package }),
      ...(options.channel === undefined ? {} : { channel: options.channel }),
    });
    return { bundles };
  },
  text: ({ bundles }, style) =>
    table(
      ['BUNDLE', 'VERSION', 'CHANNELS', 'IMAGES', 'NEEDS'],
      bundles.map((each) => [
        each.deprecated ? `${each.name} (deprecated)` : each.name,
        each.version ?? '-',
        each.channels.join(', '),
        String(new Set([each.image, ...each.relatedImages].filter((image) => image !== '')).size),
        each.requires.join('; '),
      ]),
      style,
    ),
});
