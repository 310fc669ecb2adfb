import { bundleViews } from '../../../content/catalog/catalog-views.ts';
import { defineCommand } from '../../command.ts';
import { text } from '../../flags.ts';
import { REGISTRY_OPTIONS } from '../../registry-options.ts';
import { table } from '../../table.ts';
import { CATALOG_ARGUMENT, readCatalogOf } from './open-catalog.ts';

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
