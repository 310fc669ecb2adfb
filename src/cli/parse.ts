import { CommanderError, Command as Node } from 'commander';
import { AtollError } from '../core/errors.ts';
import { type Command, type CommandInput, type OptionSpec, VERSION_FLAGS } from './command.ts';
import { GLOBAL_OPTIONS, type GlobalOptions } from './global-options.ts';
import { inOurWords } from './oc-mirror-flags.ts';
import { flagsOf, onceOnly, toCommanderOption, withAbsent } from './options.ts';
import { usageError } from './usage-error.ts';

type Options = Readonly<Record<string, OptionSpec>>;

/** A command line, understood. */
export type Parsed =
  | {
      readonly kind: 'run';
      readonly command: Command;
      readonly args: CommandInput<Options>['args'];
      readonly options: CommandInput<Options>['options'];
      readonly given: CommandInput<Options>['given'];
      readonly globals: GlobalOptions;
    }
  /** Help; `asked` is false when it stands in for a command that is missing. */
  | { readonly kind: 'words'; readonly text: string; readonly asked: boolean };

export interface CommandSet {
  readonly commands: readonly Command[];
  /** What the words that only group commands mean. */
  readonly groups: Readonly<Record<string, string>>;
}

/** Help is no wider than this, however wide the terminal is. */
const HELP_COLUMNS = 100;

/** Finds the command that a command line means. Throws USAGE, with the nearest match, if there is none. */
export function parseArguments(
  argv: readonly string[],
  set: CommandSet,
  columns = HELP_COLUMNS,
): Parsed {
  let found: Parsed | undefined;
  let words = '';
  const program = buildProgram(set, {
    columns: Math.min(columns || HELP_COLUMNS, HELP_COLUMNS),
    found: (parsed) => {
      found = parsed;
    },
    write: (text) => {
      words += text;
    },
  });
  try {
    const isVersion = VERSION_FLAGS.has(argv[0] ?? '');
    program.parse(isVersion ? ['version', ...argv.slice(1)] : inOurWords(argv), { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return { kind: 'words', text: words.trimEnd(), asked: error.exitCode === 0 };
  }
  if (!found) throw new Error('The command line was read, but no command was found');
  return found;
}

interface Outcome {
  /** How wide help may be. */
  readonly columns: number;
  readonly found: (parsed: Parsed) => void;
  readonly write: (text: string) => void;
}

function buildProgram(set: CommandSet, outcome: Outcome): Node {
  const root = parentNode('atoll', 'Install OpenShift where there is no internet', outcome);
  for (const [key, spec] of Object.entries(GLOBAL_OPTIONS)) {
    root.addOption(toCommanderOption(key, spec));
  }
  for (const command of set.commands) {
    const words = command.name.split(' ');
    const parent = words
      .slice(0, -1)
      .reduce((at, _, index) => groupIn(at, words.slice(0, index + 1), set, outcome), root);
    const { internal: hidden } = command;
    parent.addCommand(toNode(command, words.at(-1) ?? '', outcome), { hidden });
  }
  for (const node of root.commands) node.helpGroup(headingOf(node.name()));
  root.addHelpText('after', START);
  return root;
}

/** How help sorts the first words. */
const HEADINGS: Readonly<Record<string, readonly string[]>> = {
  'A site, from one file:': [
    ...['lab', 'init', 'validate', 'plan', 'doctor', 'up', 'status', 'ui', 'down', 'step'],
  ],
  'Images:': ['mirror', 'bundle', 'list', 'release', 'catalog', 'registry'],
  'Configuration:': ['render'],
  'A cluster that runs:': ['apply', 'verify'],
  'Looking and explaining:': ['bootstrap', 'diagnose', 'rehearse'],
};

function headingOf(word: string): string {
  return Object.entries(HEADINGS).find(([, words]) => words.includes(word))?.[0] ?? 'Others:';
}

const START = `
Examples:
  $ atoll lab
      the whole job on this machine, with nothing but Node
  $ atoll init --platform none --name prod
      write a site file, then: atoll validate, atoll plan, atoll up
  $ atoll mirror sync -c imageset.yaml --to docker://mirror:5000
      images from the internet into a mirror

"atoll COMMAND --help" shows more.
The guide is in docs/guide, every command in docs/commands.md.`;

function groupIn(parent: Node, path: readonly string[], set: CommandSet, outcome: Outcome): Node {
  const word = path.at(-1) ?? '';
  const existing = parent.commands.find((child) => child.name() === word);
  if (existing) return existing;
  const group = parentNode(word, set.groups[path.join(' ')] ?? '', outcome);
  parent.addCommand(group);
  return group;
}

function parentNode(name: string, description: string, outcome: Outcome): Node {
  return prepare(new Node(name), outcome)
    .description(description)
    .helpCommand('help [command]', 'Show help for a command');
}

/** What holds for every node: our errors, our output, global options shown in help. */
function prepare(node: Node, outcome: Outcome): Node {
  return node
    .helpOption('-h, --help', 'Show help')
    .showSuggestionAfterError(false)
    .configureHelp({ showGlobalOptions: true, helpWidth: outcome.columns })
    .configureOutput({ writeOut: outcome.write, writeErr: outcome.write, outputError: () => {} })
    .exitOverride((error) => {
      throw error.code.startsWith('commander.help') ? error : usageError(node, error);
    });
}

function toNode(command: Command, name: string, outcome: Outcome): Node {
  const node = prepare(new Node(name), outcome).summary(command.summary);
  node.description(command.description ?? command.summary);
  for (const argument of command.arguments) {
    const word = argument.variadic ? `${argument.name}...` : argument.name;
    node.argument(argument.optional ? `[${word}]` : `<${word}>`, argument.summary);
  }
  for (const [key, spec] of Object.entries(command.options)) {
    const option = toCommanderOption(key, spec);
    node.addOption(spec.type === 'string' || spec.type === 'number' ? onceOnly(option) : option);
  }
  node.addHelpText('after', examplesText(command));
  node.action(() => outcome.found(parsedRun(command, node)));
  return node;
}

function examplesText(command: Command): string {
  const lines = Object.entries(command.examples).map(
    ([line, does]) => `  $ ${line}\n      ${does}`,
  );
  return lines.length === 0 ? '' : `\nExamples:\n${lines.join('\n')}`;
}

/** Not left to commander: it would complain of a missing flag before it sees the misspelled one. */
function requireOptions(command: Command, given: Readonly<Record<string, unknown>>): void {
  for (const [key, spec] of Object.entries(command.options)) {
    if (!spec.required || (given[key] !== undefined && !isEmptyList(given[key]))) continue;
    throw new AtollError(
      'USAGE',
      `Cannot run "${command.name}": ${flagsOf(key, spec)} is missing`,
      {
        hint: `Run "atoll ${command.name} --help"`,
      },
    );
  }
}

const isEmptyList = (value: unknown) => Array.isArray(value) && value.length === 0;

function parsedRun(command: Command, node: Node): Parsed {
  requireOptions(command, node.opts());
  const given = withAbsent(node.optsWithGlobals(), GLOBAL_OPTIONS);
  const globals = given as unknown as GlobalOptions;
  if (globals.quiet && globals.verbose) {
    throw new AtollError(
      'USAGE',
      `Cannot run "${command.name}": --quiet and --verbose exclude each other`,
    );
  }
  return {
    kind: 'run',
    command,
    args: argumentsOf(command, node.args),
    options: withAbsent(node.opts(), command.options) as CommandInput<Options>['options'],
    given: new Set(
      Object.keys(command.options).filter((key) => node.getOptionValueSource(key) === 'cli'),
    ),
    globals,
  };
}

function argumentsOf(command: Command, given: readonly string[]): CommandInput<Options>['args'] {
  const named: Record<string, string> = {};
  let rest: readonly string[] = [];
  command.arguments.forEach((argument, index) => {
    const value = given[index];
    if (argument.variadic) rest = given.slice(index);
    if (value !== undefined) named[argument.name] = value;
  });
  return Object.assign(named, { rest }) as unknown as CommandInput<Options>['args'];
}
