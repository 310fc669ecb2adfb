import { resolveCatalog } from '../../../content/catalog/resolve-catalog.ts';
import { type SelectionView, selectionView } from '../../../content/catalog/selection-view.ts';
import type { OperatorCatalog } from '../../../content/image-set/image-set.ts';
import { readImageSet } from '../../../content/image-set/parse-image-set.ts';
import { AtollError } from '../../../core/errors.ts';
import { counted } from '../../../core/format.ts';
import { nearest } from '../../../core/nearest.ts';
import { defineCommand, type Style } from '../../command.ts';
import { onOff, text, texts } from '../../flags.ts';
import { REGISTRY_OPTIONS, withRegistries } from '../../registry-options.ts';
import { CATALOG_ARGUMENT, catalogPlace, parseCatalog } from './open-catalog.ts';
import { parsePackageFlags } from './package-flag.ts';

export const catalogResolveCommand = defineCommand({
  name: 'catalog resolve',
  summary: 'Show what would be mirrored of a catalog, and why each bundle is',
  description:
    'Chooses packages, channels and versions as mirroring does, adds what the chosen bundles need, ' +
    'and explains every bundle. Nothing is copied. Without --package and without an image set the heads of ' +
    'all channels of all packages are chosen.',
  arguments: [{ ...CATALOG_ARGUMENT, optional: true }],
  options: {
    package: texts(
      'NAME[:CHANNEL][@RANGE]',
      'This package; RANGE is 1.2.3, 1.2.0..1.4.0, 1.2.0.. or ..1.4.0; may be repeated',
    ),
    config: text('FILE', 'Take the packages from an ImageSetConfiguration', { short: 'c' }),
    full: onOff('All versions instead of the heads of channels'),
    dependencies: onOff('Do not add what the chosen bundles need', { default: true }),
    ...REGISTRY_OPTIONS,
  },
  examples: {
    'atoll catalog resolve registry.redhat.io/redhat/redhat-operator-index:v4.18 --package odf-operator':
      'one operator, and the ones it needs',
    'atoll catalog resolve oci:catalog --package quay-operator:stable-3.12@3.12.1..3.12.2':
      'some versions of one channel',
    'atoll catalog resolve -c imageset.yaml': 'every catalog of an image set',
  },
  run: (ctx, { args, options, terminal }) =>
    withRegistries(options, terminal, async (registries) => {
      const catalogs: SelectionView[] = [];
      for (const wanted of await wantedCatalogs(args.catalog, options)) {
        const place = await catalogPlace(ctx, parseCatalog(wanted.catalog), registries);
        const dependencies = options.dependencies && !wanted.skipDependencies;
        const resolved = await resolveCatalog(ctx, place, { ...wanted, dependencies });
        catalogs.push(selectionView(wanted.catalog, resolved));
      }
      return { catalogs };
    }),
  text: ({ catalogs }, style) => catalogs.map((each) => resolvedText(each, style)).join('\n\n'),
  exitCode: ({ catalogs }) => (catalogs.some(({ failures }) => failures.length > 0) ? 3 : 0),
});

type Wanted = Pick<OperatorCatalog, 'catalog' | 'packages' | 'full' | 'skipDependencies'>;

async function wantedCatalogs(
  catalog: string | undefined,
  options: { config: string | undefined; package: readonly string[]; full: boolean },
): Promise<readonly Wanted[]> {
  if (options.config === undefined) {
    if (catalog === undefined) throw misused('Name a catalog, or an image set with -c FILE');
    const packages = parsePackageFlags(options.package);
    return [{ catalog, packages, full: options.full, skipDependencies: false }];
  }
  if (options.package.length > 0 || options.full) {
    throw misused('Leave --package and --full out: the image set says what is wanted');
  }
  const { operators } = await readImageSet(options.config);
  const chosen = operators.filter((each) => catalog === undefined || each.catalog === catalog);
  if (chosen.length > 0) return chosen;
  const near = nearest(
    catalog ?? '',
    operators.map((each) => each.catalog),
  );
  throw new AtollError('INPUT_INVALID', `Cannot find the catalog in "${options.config}"`, {
    hint: near ? `Did you mean "${near}"?` : 'It has no operators',
  });
}

function misused(hint: string): AtollError {
  return new AtollError('USAGE', 'Cannot tell what to resolve', { hint });
}

/** A selection for people: packages, bundles below them, and why each is there. */
function resolvedText(view: SelectionView, style: Style): string {
  const packages = view.packages.flatMap(
    ({ name, channels, defaultChannel, bundles, isDependency }) => [
      `${style.bold(name)}${isDependency ? style.cyan(' (dependency)') : ''}  ${style.dim(
        channels
          .map((each) => (each.name === defaultChannel ? `${each.name}*` : each.name))
          .join(' '),
      )}`,
      ...bundles.map((bundle) => `  ${bundle.name}  ${style.dim(bundle.reasons.join('; '))}`),
    ],
  );
  const remarks = [
    ...view.warnings.map((each) => remark(style.yellow('warning'), each)),
    ...view.failures.map((each) => remark(style.red('error'), each)),
  ];
  const count = view.packages.reduce((sum, { bundles }) => sum + bundles.length, 0);
  return [
    style.dim(view.catalog),
    ...packages,
    ...remarks,
    [
      counted(view.packages.length, 'package'),
      counted(count, 'bundle'),
      counted(view.images.length, 'image'),
    ].join(', '),
  ].join('\n');
}

function remark(
  kind: string,
  { message, hint }: { readonly message: string; readonly hint?: string | undefined },
): string {
  return `${kind}: ${message}${hint === undefined ? '' : `\n  next: ${hint}`}`;
}
