/** Bundles the command line, or another entry, into one file. */
export function bundle(options: {
  readonly outfile: string;
  readonly format: 'esm' | 'cjs';
  readonly entry?: string;
}): Promise<void>;
