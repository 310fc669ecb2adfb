import { InvalidArgumentError, Option } from 'commander';
import type { OptionSpec } from './command.ts';
import { problemOf } from './option-values.ts';

/** `toReleaseImage` is `--to-release-image` on the command line. */
export function flagOf(key: string): string {
  return `--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** `-c, --config <FILE>`: what help, the manual and commander agree on. */
export function flagsOf(key: string, spec: OptionSpec): string {
  const long = spec.type === 'boolean' && spec.default === true ? negated(key) : flagOf(key);
  const short = spec.short ? `-${spec.short.replace(/^-/, '')}, ` : '';
  return `${short}${long}${spec.type === 'boolean' ? '' : ` <${spec.value ?? 'VALUE'}>`}`;
}

const negated = (key: string) => flagOf(key).replace(/^--/, '--no-');

/** The commander form of one of our options. */
export function toCommanderOption(key: string, spec: OptionSpec): Option {
  const summary = spec.required ? `${spec.summary} (required)` : spec.summary;
  const option = new Option(flagsOf(key, spec), summary);
  // commander reads "--no-proxy URL" as the opposite of "--proxy"; only our own switches are that.
  if (spec.type !== 'boolean') option.negate = false;
  if (spec.type === 'strings' && spec.default) option.default(spec.default, listed(spec.default));
  else if (spec.type !== 'boolean' && spec.default !== undefined) option.default(spec.default);
  addParser(option, spec);
  return option;
}

function addParser(option: Option, spec: OptionSpec): void {
  if (spec.type === 'string') option.argParser((text: string) => checked(text, spec));
  if (spec.type === 'number') option.argParser((text: string) => Number(checked(text, spec)));
  if (spec.type === 'strings') option.argParser(collect(spec));
  if (spec.choices && spec.type === 'string') option.choices(spec.choices);
}

/** A second value would be lost, or the first. Aliases that end in a flag may repeat what they say. */
export function onceOnly(option: Option): Option {
  const { parseArg } = option;
  let before: string | undefined;
  return option.argParser((text: string, sofar: unknown) => {
    if (before !== undefined && before !== text) {
      throw new InvalidArgumentError(`It was "${before}" before, and can be one thing only.`);
    }
    before = text;
    return parseArg ? parseArg(text, sofar) : text;
  });
}

function checked(text: string, spec: OptionSpec): string {
  const problem = problemOf(text, spec);
  if (problem !== undefined) throw new InvalidArgumentError(problem);
  return text;
}

function listed(values: OptionSpec['default']): string {
  return Array.isArray(values) ? values.join(', ') : 'none';
}

/** Switches that were not given are off, and lists empty; commander would leave them out. */
export function withAbsent(
  values: Readonly<Record<string, unknown>>,
  specs: Readonly<Record<string, OptionSpec>>,
): Record<string, unknown> {
  const absent: Record<string, unknown> = {};
  for (const [key, { type }] of Object.entries(specs)) {
    if (type === 'boolean') absent[key] = false;
    if (type === 'strings') absent[key] = [];
  }
  return { ...absent, ...values };
}

/** Gathers the values of a flag that may be given again and again; the first replaces the default. */
function collect(
  spec: OptionSpec,
): (value: string, sofar?: readonly string[]) => readonly string[] {
  return (value, sofar) => {
    if (spec.choices && !spec.choices.includes(value)) {
      throw new InvalidArgumentError(`Allowed choices are ${spec.choices.join(', ')}.`);
    }
    const first = sofar === undefined || sofar === spec.default;
    return first ? [checked(value, spec)] : [...sofar, checked(value, spec)];
  };
}

/** The arguments that give a command these options: how it starts itself once more. */
export function argumentsOf(
  values: Readonly<Record<string, unknown>>,
  specs: Readonly<Record<string, OptionSpec>>,
): string[] {
  return Object.entries(specs).flatMap(([key, spec]) => {
    const value = values[key];
    if (value === undefined) return [];
    if (spec.type === 'boolean') {
      const isSwitched = value !== (spec.default === true);
      return isSwitched ? [spec.default === true ? negated(key) : flagOf(key)] : [];
    }
    const all = Array.isArray(value) ? value : [value];
    return all.flatMap((one) => [flagOf(key), String(one)]);
  });
}
