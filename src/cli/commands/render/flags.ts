import * as z from 'zod';
import { AtollError } from '../../../core/errors.ts';
import type { OptionSpec } from '../../command.ts';
import { flagOf } from '../../options.ts';

// The flags of a target are the fields of a zod schema. `.optional()` and `.default()` say when one
// may be missing, `.transform()` what becomes of its text: a file, say, is read there.

type Schema = z.core.$ZodType;
export type Flags = z.ZodObject<Readonly<Record<string, z.ZodType>>>;

/** Values of some flags, as they are after reading. */
export type Known<F extends Flags> = {
  readonly [K in keyof z.output<F>]?: z.output<F>[K] | undefined;
};

/** A flag with one value; `value` stands for it in help. */
export const text = (value: string, summary: string) => described(z.string(), summary, value);

export const number = (value: string, summary: string) => described(z.number(), summary, value);

export const choice = <const C extends readonly [string, ...string[]]>(
  value: string,
  choices: C,
  summary: string,
) => described(z.enum(choices), summary, value);

/** A switch; one that is on by itself is switched off with `--no-…`. */
export const onOff = (summary: string, usual = false) =>
  described(z.boolean(), summary).default(usual);

/** A flag that is given once or more often, each time for one more value. */
export const some = <E extends z.ZodType<unknown, string>>(
  value: string,
  summary: string,
  each: E,
) => described(z.array(each), summary, value);

export const someTexts = (value: string, summary: string) => some(value, summary, z.string());

/** The same, and none is fine, too. */
export const many = <E extends z.ZodType<unknown, string>>(
  value: string,
  summary: string,
  each: E,
) => some(value, summary, each).prefault([]);

export const manyTexts = (value: string, summary: string) => many(value, summary, z.string());

function described<S extends z.ZodType>(schema: S, description: string, value?: string): S {
  return schema.meta({ description, ...(value ? { value } : {}) });
}

/** The options of a command line that a schema describes. */
export function optionsOf(flags: Flags): Record<string, OptionSpec> {
  return Object.fromEntries(
    Object.entries(flags.shape).map(([key, schema]) => [key, optionOf(schema)]),
  );
}

interface Peeled {
  readonly core: Schema;
  readonly fallback?: unknown;
  readonly optional?: boolean;
}

/** What is inside defaults and transformations. */
function peel(schema: Schema): Peeled {
  if (schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault) {
    const { innerType, defaultValue: fallback } = schema.def;
    return { ...peel(innerType), fallback, optional: true };
  }
  if (schema instanceof z.ZodOptional) return { ...peel(schema.def.innerType), optional: true };
  return schema instanceof z.ZodPipe ? peel(schema.def.in) : { core: schema };
}

function optionOf(schema: Schema): OptionSpec {
  const { core, fallback, optional } = peel(schema);
  const { value, description = '' } = z.globalRegistry.get(core) ?? {};
  const one = core instanceof z.ZodArray ? peel(core.def.element).core : core;
  const isUsual = fallback !== undefined && fallback !== false && `${fallback}` !== '';
  return {
    type: typeOf(core),
    summary: description,
    ...(typeof value === 'string' ? { value } : {}),
    ...(isUsual ? { default: fallback as NonNullable<OptionSpec['default']> } : {}),
    ...(optional ? {} : { required: true as const }),
    ...(one instanceof z.ZodEnum ? { choices: Object.values(one.def.entries).map(String) } : {}),
  };
}

function typeOf(core: Schema): OptionSpec['type'] {
  if (core instanceof z.ZodBoolean) return 'boolean';
  if (core instanceof z.ZodNumber) return 'number';
  return core instanceof z.ZodArray ? 'strings' : 'string';
}

/** What was given, then what is known, then defaults; the first flag that is still missing is named. */
export async function readFlags<F extends Flags>(
  flags: F,
  given: Readonly<Record<string, unknown>>,
  known: Known<F>,
): Promise<z.output<F>> {
  const knows: Readonly<Record<string, unknown>> = known;
  const values: Record<string, unknown> = {};
  for (const [key, schema] of Object.entries(flags.shape)) {
    const isKnown = !(key in given) && knows[key] !== undefined;
    if (!(key in given) && !isKnown && !peel(schema).optional) throw missing(key);
    values[key] = isKnown ? knows[key] : await z.parseAsync(schema, given[key]);
  }
  return values as z.output<F>;
}

function missing(key: string): AtollError {
  return new AtollError('USAGE', `Cannot render: ${flagOf(key)} is missing`, {
    hint: 'Give it, or a site file that knows it with --site',
  });
}
