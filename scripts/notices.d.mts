import type { BuildOptions } from 'esbuild';

/** A package of which something is in what is shipped. */
export interface BundledPackage {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  /** Its licence and notice files, whole. */
  readonly text: string;
}

export function bundledPackages(
  root: string,
  settings: BuildOptions,
): Promise<readonly BundledPackage[]>;
