import type { IgnitionFile } from './config.ts';
import { type ShellCommand, shellCommands } from './shell-commands.ts';

/** What a script among the generators of systemd does to a unit, before any unit is started. */
export type GeneratedUnit = {
  readonly name: string;
  readonly contents?: string;
  readonly dropins?: { readonly name: string; readonly contents: string }[];
  readonly mask?: true;
  readonly writtenBy?: string;
  /** The generator that has something want it. */
  readonly linkedBy?: string;
};

const GENERATOR = /\/systemd\/system-generators\/(?<name>[^/]+)$/;
const UNIT_NAME =
  /(?:^|\/)(?<name>[\w@:.\\-]+\.(?:service|socket|target|mount|timer|path|slice|swap|automount))$/;
const DROP_IN = /(?:^|\/)(?<unit>[\w@:.\\-]+\.\w+)\.d\/(?<name>[^/]+\.conf)$/;
const WANTS = /\.(?:wants|requires)(?:\/(?<name>[^/]*))?$/;
/** The directories systemd hands to a generator, in the order it does. */
const DIRECTORIES = ['', '.early', '.late'].map((kind) => `/run/systemd/generator${kind}`);

/** The name of the generator this file is. */
export const generatorOf = ({ path }: IgnitionFile): string | undefined =>
  GENERATOR.exec(path)?.groups?.name;

/** The units that the generators of a config write, pull in and mask. */
export function unitsOfGenerators(files: readonly IgnitionFile[]): GeneratedUnit[] {
  const textOf = (path: string) =>
    files.find((file) => file.path === path)?.content?.toString('utf8') ?? '';
  return files.flatMap((file) => {
    const generator = generatorOf(file);
    const script = file.content?.toString('utf8') ?? '';
    if (generator === undefined || !script.startsWith('#!')) return [];
    const commands = shellCommands(script, DIRECTORIES);
    return [
      ...written(commands, textOf).map((unit) => ({ ...unit, writtenBy: generator })),
      ...commands.flatMap((command) => linked(command, generator)),
    ];
  });
}

/** Units and drop-ins whose text the script has, in one piece however many commands write it. */
function written(
  commands: readonly ShellCommand[],
  textOf: (path: string) => string,
): GeneratedUnit[] {
  const texts = new Map<string, string>();
  for (const command of commands) {
    for (const [path, text] of writesOf(command, textOf)) {
      texts.set(path, (texts.get(path) ?? '') + text);
    }
  }
  return [...texts].flatMap(([path, contents]): GeneratedUnit[] => {
    const { unit, name: dropin = '' } = DROP_IN.exec(path)?.groups ?? {};
    if (unit) return [{ name: unit, dropins: [{ name: dropin, contents }] }];
    const name = UNIT_NAME.exec(path)?.groups?.name;
    return name ? [{ name, contents }] : [];
  });
}

type Write = readonly [path: string, text: string];

function writesOf(command: ShellCommand, textOf: (path: string) => string): Write[] {
  const [program = '', ...more] = command.words;
  const operands = more.filter((word) => !word.startsWith('-'));
  if (program === 'cp' || program === 'install') return copies(operands, textOf);
  const paths = [...command.writes, ...(program === 'tee' ? operands : [])];
  const text = command.input ?? printed(program, operands);
  return paths.map((path) => [path, text]);
}

function printed(program: string, [first = '', ...rest]: readonly string[]): string {
  if (program !== 'echo' && program !== 'printf') return '';
  const lines = program === 'printf' && first.includes('%s') ? rest : [[first, ...rest].join(' ')];
  return `${lines.join('\n').replaceAll('\\n', '\n')}\n`;
}

function copies(operands: readonly string[], textOf: (path: string) => string): Write[] {
  const to = operands.at(-1) ?? '';
  return operands.slice(0, -1).map((from) => {
    const path = UNIT_NAME.test(to) ? to : `${to}/${from.split('/').at(-1)}`;
    return [path, textOf(from)];
  });
}

/** What a link has start, or masks; one into a directory is called as what it points to. */
function linked({ words }: ShellCommand, generator: string): GeneratedUnit[] {
  const [program, ...more] = words;
  if (program !== 'ln') return [];
  const operands = more.filter((word) => !word.startsWith('-'));
  const to = operands.at(-1) ?? '';
  const wants = WANTS.exec(to)?.groups;
  return operands.slice(0, -1).flatMap((from): GeneratedUnit[] => {
    const name = UNIT_NAME.exec(wants && !wants.name ? from : to)?.groups?.name;
    if (!name) return [];
    if (wants) return [{ name, linkedBy: generator }];
    return from === '/dev/null' ? [{ name, mask: true }] : [];
  });
}
