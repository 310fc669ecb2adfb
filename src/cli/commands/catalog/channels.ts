import { channelViews } from '../../../content/catalog/catalog-views.ts';
import { defineCommand } from '../../command.ts';
import { REGISTRY_OPTIONS } from '../../registry-options.ts';
import { table } from '../../table.ts';
import { CATALOG_ARGUMENT, readCatalogOf } from './open-catalog.ts';

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
