import type { SelectionView } from '../../../content/catalog/selection-view.ts';
import { counted } from '../../../core/format.ts';
import type { Style } from '../../command.ts';

/** A selection for people: packages, bundles below them, and why each is there. */
export function resolvedText(view: SelectionView, style: Style): string {
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
