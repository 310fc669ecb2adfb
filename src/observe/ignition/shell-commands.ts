/** One command of a script as it would run, with what it reads from the lines below it. */
export interface ShellCommand {
  readonly words: readonly string[];
  /** Files its output goes to. */
  readonly writes: readonly string[];
  readonly input: string | undefined;
}

interface Statement {
  readonly text: string;
  readonly input?: string;
}

type Variables = Map<string, string>;

/** Scripts that make units have a page or two; a config may hold anything, and loops make much of little. */
const MOST_CHARACTERS = 64 * 1024;
const MOST_LINE = 4096;
const MOST_VALUE = 255;
const MOST_STEPS = 2000;
const MOST_FILLED = 4 * 1024 * 1024;

const HERE_DOCUMENT = /(?<!<)<<(?<dash>-?)\s*(?<quote>["']?)(?<end>\w+)\k<quote>/;
/** Up to the next `;`, `&` or `|` that is not quoted; a stray quote ends it, too. */
const COMMAND = /(?:"[^"]*"|'[^']*'|\d?>&\d?|[^;&|"'])+/g;
const WORD = /(?:"[^"]*"|'[^']*'|[^\s"'])+/g;
const KEYWORD = /^(?:(?:then|else|do|if|elif|!|\{|\()\s+)+/;
const ASSIGNMENT =
  /^(?:(?:local|readonly|export|declare)\s+)?(?<name>\w+)=(?<value>"[^"]*"|'[^']*'|\S*)$/;
const LOOP = /^for\s+(?<name>\w+)\s+in\s+(?<words>.*)$/;
const VARIABLE = /\$(?:\{(?<braced>\w+)(?::?-(?<otherwise>[^{}]*))?\}|(?<bare>\w+))/g;

/** A run of a script that starts nothing: it only keeps what would be started. */
interface Run {
  readonly variables: Variables;
  readonly commands: ShellCommand[];
  steps: number;
  filled: number;
}

/**
 * The commands of a shell script with its variables and `for` loops filled in, as far as the script itself tells:
 * what is not known stays as it is written, and both branches of a condition are taken.
 */
export function shellCommands(script: string, parameters: readonly string[]): ShellCommand[] {
  const variables = new Map(parameters.map((value, at) => [String(at + 1), value]));
  const run: Run = { variables, commands: [], steps: 0, filled: 0 };
  follow(statementsOf(script.slice(0, MOST_CHARACTERS)), run);
  return run.commands;
}

function follow(statements: readonly Statement[], run: Run): void {
  for (let at = 0; at < statements.length; at += 1) {
    run.steps += 1;
    if (run.steps > MOST_STEPS || run.filled > MOST_FILLED) return;
    const statement = statements[at] ?? { text: '' };
    const loop = LOOP.exec(statement.text)?.groups;
    if (loop) {
      const end = endOfLoop(statements, at);
      repeat(statements.slice(at + 1, end), loop, run);
      at = end;
    } else take(statement, run);
  }
}

function repeat(
  body: readonly Statement[],
  { name = '', words = '' }: Readonly<Record<string, string>>,
  run: Run,
): void {
  for (const word of wordsOf(filled(words, run.variables))) {
    set(run, name, word);
    follow(body, run);
  }
}

function take(statement: Statement, run: Run): void {
  const assigned = ASSIGNMENT.exec(statement.text)?.groups;
  if (assigned) {
    set(run, assigned.name ?? '', unquoted(filled(assigned.value ?? '', run.variables)));
    return;
  }
  const command = commandOf(statement, run.variables);
  run.filled += command.input?.length ?? 0;
  run.commands.push(command);
}

const set = ({ variables }: Run, name: string, value: string): void => {
  variables.set(name, value.slice(0, MOST_VALUE));
};

/** Where the loop that begins here has its `done`. */
function endOfLoop(statements: readonly Statement[], from: number): number {
  let open = 0;
  for (const [index, { text }] of statements.slice(from).entries()) {
    if (/^(?:for|while|until)\s/.test(text)) open += 1;
    if (/^done\b/.test(text) && --open === 0) return from + index;
  }
  return statements.length;
}

function statementsOf(script: string): Statement[] {
  const lines = script.replaceAll(/\\\n\s*/g, ' ').split('\n');
  const statements: Statement[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at]?.trim() ?? '';
    if (line.startsWith('#') || line.length > MOST_LINE) continue;
    const here = HERE_DOCUMENT.exec(line)?.groups;
    const end = here ? endOfDocument(lines, at + 1, here.end ?? '') : at;
    const input = here && { input: textOf(lines.slice(at + 1, end), here.dash === '-') };
    for (const [text] of line.replace(HERE_DOCUMENT, '').matchAll(COMMAND)) {
      statements.push({ text: text.trim().replace(KEYWORD, ''), ...input });
    }
    at = end;
  }
  return statements.filter(({ text }) => text !== '');
}

function endOfDocument(lines: readonly string[], from: number, end: string): number {
  const found = lines.findIndex((line, index) => index >= from && line.trim() === end);
  return found < 0 ? lines.length : found;
}

const textOf = (lines: readonly string[], isIndented: boolean): string =>
  lines.map((line) => `${isIndented ? line.replace(/^\t+/, '') : line}\n`).join('');

/** Errors and copies of a stream, which go to no unit. */
const OTHER_STREAM = /\d?>&\d?|(?<!\S)2>>?\s*\S+/g;

function commandOf({ text, input }: Statement, variables: Variables): ShellCommand {
  // A redirection may stand close to what it redirects to.
  const spaced = text.replaceAll(OTHER_STREAM, '').replaceAll(/>>?/g, ' $& ');
  const words = wordsOf(filled(spaced, variables));
  const isTarget = (at: number) => words[at - 1] === '>' || words[at - 1] === '>>';
  return {
    words: words.filter((word, at) => word !== '>' && word !== '>>' && !isTarget(at)),
    writes: words.filter((_, at) => isTarget(at)),
    input: input === undefined ? undefined : filled(input, variables),
  };
}

const wordsOf = (text: string): string[] =>
  [...text.matchAll(WORD)].map(([word]) => unquoted(word));

const unquoted = (word: string): string => word.replaceAll(/["']/g, '');

function filled(text: string, variables: Variables): string {
  return text.replaceAll(VARIABLE, (whole, ...rest) => {
    const { braced, otherwise, bare: name } = rest.at(-1) as Record<string, string | undefined>;
    return variables.get(braced ?? name ?? '') ?? otherwise ?? whole;
  });
}
