/** Beside the launcher: code of all chunks as V8 compiled it. */
export const CODE_PACK = 'code.bin';
/** Beside the launcher: every help text, by `helpKey`. */
export const HELP_FILE = 'help.json';
/** The chunk that is the program. */
export const PROGRAM = 'cli/program.js';

/** Widths for which help is written: no terminal or a wide one, and the narrow one that is usual. */
export const HELP_WIDTHS = [100, 80] as const;

const HELP_FLAGS: ReadonlySet<string> = new Set(['--help', '-h']);

/** Under which name help is kept; undefined when no help is asked for, or a width that is not kept. */
export function helpKey(argv: readonly string[], columns: number | undefined): string | undefined {
  const [widest] = HELP_WIDTHS;
  const width = Math.min(columns || widest, widest);
  const last = argv.at(-1) ?? '';
  if (!HELP_FLAGS.has(last) || !HELP_WIDTHS.some((kept) => kept === width)) return undefined;
  return [...argv.slice(0, -1), `${width}`].join(' ');
}
