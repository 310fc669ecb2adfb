import type { Command, OptionSpec } from '../command.ts';
import { GLOBAL_OPTIONS } from '../global-options.ts';
import { flagsOf } from '../options.ts';

export interface Flag {
  /** `--config` */
  readonly long: string;
  readonly summary: string;
  readonly choices: readonly string[];
  readonly takes: 'nothing' | 'file' | 'value';
}

/** What can follow the words typed so far. */
export interface Place {
  /** The words after `atoll`: empty, a group, or a command. */
  readonly path: string;
  readonly words: readonly (readonly [word: string, summary: string])[];
  readonly flags: readonly Flag[];
}

/** Every place of the command line: the start, the groups and the commands. */
export function placesOf(
  all: readonly Command[],
  groups: Readonly<Record<string, string>>,
): Place[] {
  const paths = new Set(['']);
  const commands = all.filter(({ internal }) => !internal);
  for (const { name } of commands) {
    const words = name.split(' ');
    for (let length = 1; length <= words.length; length += 1) {
      paths.add(words.slice(0, length).join(' '));
    }
  }
  return [...paths].sort().map((path) => placeAt(path, [...paths], commands, groups));
}

function placeAt(
  path: string,
  paths: readonly string[],
  commands: readonly Command[],
  groups: Readonly<Record<string, string>>,
): Place {
  const commandAt = (at: string) => commands.find(({ name }) => name === at);
  const words = childrenOf(path, paths).map((child) => {
    const word = child.split(' ').at(-1) ?? '';
    return [word, commandAt(child)?.summary ?? groups[child] ?? ''] as const;
  });
  const options = { ...commandAt(path)?.options, ...GLOBAL_OPTIONS };
  return { path, words, flags: [...Object.entries(options).map(toFlag), HELP] };
}

const HELP: Flag = { long: '--help', summary: 'Show help', choices: [], takes: 'nothing' };

function childrenOf(path: string, paths: readonly string[]): string[] {
  const depth = path === '' ? 1 : path.split(' ').length + 1;
  const isBelow = (other: string) => path === '' || other.startsWith(`${path} `);
  return paths.filter((other) => other && other.split(' ').length === depth && isBelow(other));
}

function toFlag([key, spec]: [string, OptionSpec]): Flag {
  const long = /--[^ ]+/.exec(flagsOf(key, spec))?.[0] ?? '';
  return { long, summary: spec.summary, choices: spec.choices ?? [], takes: takesOf(spec) };
}

function takesOf(spec: OptionSpec): Flag['takes'] {
  if (spec.type === 'boolean') return 'nothing';
  return /FILE|DIR|PATH|FOLDER/.test(spec.value ?? '') ? 'file' : 'value';
}
