import type { Context } from '../core/context.ts';

/** One flag. The key in `options` is its camelCase name; `--kebab-case` on the command line. */
export interface OptionSpec {
  readonly type: 'string' | 'number' | 'boolean' | 'strings';
  readonly summary: string;
  /** What stands for the value in help, in capitals: `FILE`, `DIR`, `HOST`. */
  readonly value?: string;
  readonly short?: string;
  readonly default?: string | number | boolean | readonly string[];
  readonly required?: true;
  readonly choices?: readonly string[];
}

/** One positional argument, in order. */
export interface ArgumentSpec {
  readonly name: string;
  readonly summary: string;
  readonly optional?: true;
  /** Takes all that is left; only the last may. */
  readonly variadic?: true;
}

interface ValueOf {
  string: string;
  number: number;
  boolean: boolean;
  strings: readonly string[];
}

/** What `run` receives for a set of options: absent ones are undefined unless they have a default. */
export type OptionValues<O extends Readonly<Record<string, OptionSpec>>> = {
  readonly [K in keyof O]: O[K] extends { type: 'boolean' }
    ? boolean
    : O[K] extends { type: 'strings' }
      ? readonly string[]
      : O[K] extends { required: true } | { default: string | number }
        ? ValueOf[O[K]['type']]
        : ValueOf[O[K]['type']] | undefined;
};

/** Colours that vanish where they are not wanted. */
export interface Style {
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly red: (text: string) => string;
  readonly green: (text: string) => string;
  readonly yellow: (text: string) => string;
  readonly cyan: (text: string) => string;
}

/** What a command may use of the terminal beyond its arguments. */
export interface Terminal {
  /** Asks before something is destroyed; true at once with `--yes`, an error where nobody can answer. */
  readonly confirm: (question: string) => Promise<boolean>;
  /** One line from the user, or the default where nobody can answer. */
  readonly ask: (question: string, fallback: string) => Promise<string>;
  /** All of standard input: how secrets and piped files come in. */
  readonly readStdin: () => Promise<string>;
  /** The same as a stream, for what may be large. */
  readonly stdin: () => AsyncIterable<Uint8Array>;
  /** Standard input is no terminal: something else writes to it, or nobody. */
  readonly isPiped: boolean;
  readonly interactive: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export interface CommandInput<O extends Readonly<Record<string, OptionSpec>>> {
  /** Positional arguments by name; a variadic one holds all that were given. */
  readonly args: Readonly<Record<string, string>> & { readonly rest: readonly string[] };
  readonly options: OptionValues<O>;
  /** The options that the command line itself names; the others are defaults. */
  readonly given: ReadonlySet<string>;
  readonly terminal: Terminal;
}

export interface CommandSpec<R, O extends Readonly<Record<string, OptionSpec>>> {
  /** Words after `atoll`: `diagnose`, `mirror copy`. */
  readonly name: string;
  readonly summary: string;
  /** More than a sentence, for `--help` and the manual. */
  readonly description?: string;
  readonly arguments?: readonly ArgumentSpec[];
  readonly options?: O;
  /** Command lines that work, each with what it does. */
  readonly examples: Readonly<Record<string, string>>;
  /** Does the work and returns the result, which is plain JSON. */
  readonly run: (ctx: Context, input: CommandInput<O>) => Promise<R>;
  /** The result for people; without it nothing is printed in text mode. Ends without a newline. */
  readonly text?: (result: R, style: Style) => string;
  /**
   * The result is a file that may hold secrets on purpose (an auth file, an Ignition file), so it is
   * printed as it is. Without this everything printed passes redaction.
   */
  readonly verbatim?: true;
  /** Atoll starts it itself: it works, but no help, manual or completion shows it. */
  readonly internal?: true;
  /** Exit status for a result that is not a full success (exit 7). Default 0. */
  readonly exitCode?: (result: R) => number;
}

/** A command whose types are erased, as the list of all commands holds it. */
export interface Command {
  readonly name: string;
  readonly summary: string;
  readonly description: string | undefined;
  readonly arguments: readonly ArgumentSpec[];
  readonly options: Readonly<Record<string, OptionSpec>>;
  readonly examples: Readonly<Record<string, string>>;
  readonly run: (ctx: Context, input: CommandInput<Record<string, OptionSpec>>) => Promise<unknown>;
  readonly text: ((result: unknown, style: Style) => string) | undefined;
  readonly verbatim: boolean;
  readonly internal: boolean;
  readonly exitCode: (result: unknown) => number;
}

/** The words that ask for the version, as a first argument. */
export const VERSION_FLAGS: ReadonlySet<string> = new Set(['--version', '-v', '-V']);

export function defineCommand<R, const O extends Readonly<Record<string, OptionSpec>>>(
  spec: CommandSpec<R, O>,
): Command {
  return {
    name: spec.name,
    summary: spec.summary,
    description: spec.description,
    arguments: spec.arguments ?? [],
    options: spec.options ?? {},
    examples: spec.examples,
    run: spec.run as unknown as Command['run'],
    text: spec.text as Command['text'],
    verbatim: spec.verbatim ?? false,
    internal: spec.internal ?? false,
    exitCode: (spec.exitCode as Command['exitCode'] | undefined) ?? (() => 0),
  };
}
