import type { BuildOptions } from 'esbuild';

/** The folder of the project. */
export const root: string;

/** The source the command line starts with. */
export const MAIN: string;

/** How modules are bundled. */
export const MODULE: BuildOptions;

/** Bundles the command line, or another entry, into one file. */
export function bundle(options: {
  readonly outfile: string;
  readonly format: 'esm' | 'cjs';
  readonly entry?: string;
}): Promise<void>;
