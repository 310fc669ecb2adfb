import type { ImageSet } from '../../../content/image-set/image-set.ts';

/** The image set as the command line wants it: `--no-dependencies` switches the closure off. */
export function imageSetWith(set: ImageSet, options: { readonly dependencies: boolean }): ImageSet {
  if (options.dependencies) return set;
  return {
    ...set,
    operators: set.operators.map((catalog) => ({ ...catalog, skipDependencies: true })),
  };
}
