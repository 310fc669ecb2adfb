import { GROUPS } from '../commands/groups.ts';

/** Beside the launcher: code of all chunks as V8 compiled it. */
export const CODE_PACK = 'code.bin';
/** Beside the launcher: every help text, by `helpKey`. */
export const HELP_FILE = 'help.json';
/** The chunk that is the program. */
export const PROGRAM = 'cli/program.js';

/** Widths for which help is written: no terminal or a wide one, and the narrow one that is usual. */
export const HELP_WIDTHS = [100, 80] as const;

const HELP_FLAGS: ReadonlySet<string> = new Set(['--help', '-h']);

interface WantedHelp {
  /** Under which name it is kept. */
  readonly key: string;
  /** False where it stands in for a command that is missing. */
  readonly asked: boolean;
}

/** Which help a command line gets; undefined when it gets none, or of a width that is not kept. */
export function wantedHelp(
  argv: readonly string[],
  columns: number | undefined,
): WantedHelp | undefined {
  const [widest] = HELP_WIDTHS;
  const width = Math.min(columns || widest, widest);
  if (!HELP_WIDTHS.some((kept) => kept === width)) return undefined;
  const asked = HELP_FLAGS.has(argv.at(-1) ?? '');
  const words = asked ? argv.slice(0, -1) : argv;
  const isIncomplete = words.length === 0 || Object.hasOwn(GROUPS, words.join(' '));
  return asked || isIncomplete ? { key: helpKey(words, width), asked } : undefined;
}

/** Under which name the help of a command or group is kept. */
export const helpKey = (words: readonly string[], width: number): string =>
  [...words, `${width}`].join(' ');
