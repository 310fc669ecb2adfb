import { packageViews } from '../../../content/catalog/catalog-views.ts';
import { defineCommand } from '../../command.ts';
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
