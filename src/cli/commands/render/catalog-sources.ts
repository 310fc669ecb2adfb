import {
  catalogSource,
  clusterCatalog,
  clusterCatalogOff,
  operatorHub,
} from '../../../generate/cluster/catalogs.ts';
import { toYaml } from '../../../generate/yaml.ts';
import { defaultClusterCatalogs } from '../../../openshift/features.ts';
import { renderCommand } from './render-command.ts';

export const renderCatalogSourcesCommand = renderCommand({
  name: 'render catalog-sources',
  summary: 'CatalogSource and ClusterCatalog for mirrored catalogs, defaults off',
  options: {
    catalog: {
      type: 'strings',
      value: 'IMAGE',
      required: true,
      summary: 'Catalog in the mirror; may be given more than once',
    },
    clusterCatalogs: {
      type: 'boolean',
      summary: 'Write ClusterCatalogs too (OLM v1, 4.18 and later)',
    },
    defaults: {
      type: 'boolean',
      default: true,
      summary: 'Switch the catalogs on the internet off',
    },
    pollInterval: {
      type: 'string',
      value: 'TIME',
      summary: 'Look for new images that often, such as 30m',
    },
    displayName: { type: 'string', value: 'TEXT', summary: 'Name that the console shows' },
  },
  examples: [
    [
      'atoll render catalog-sources --catalog mirror.example:5000/redhat/redhat-operator-index:v4.18 --no-defaults',
      'one catalog, and no other',
    ],
  ],
  async render(_ctx, { options }) {
    const { catalog, pollInterval, displayName } = options;
    const inputs = catalog.toSorted().map((image) => ({ image, pollInterval, displayName }));
    const defaultsOff = !options.defaults;
    const objects = [
      ...(defaultsOff ? [operatorHub({ defaultsOff })] : []),
      ...inputs.map(catalogSource),
      ...(options.clusterCatalogs ? inputs.map(clusterCatalog) : []),
      ...(options.clusterCatalogs && defaultsOff
        ? defaultClusterCatalogs().map(clusterCatalogOff)
        : []),
    ];
    return { contents: toYaml(...objects) };
  },
});
