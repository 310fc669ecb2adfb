import type { Context } from '../../../core/context.ts';
import { AtollError } from '../../../core/errors.ts';
import { SECRET_MODE, writeFileAtomic } from '../../../core/files.ts';
import { digestOf } from '../../../oci/digest.ts';
import {
  type Command,
  type CommandInput,
  defineCommand,
  type OptionSpec,
  type OptionValues,
} from '../../command.ts';
import { flagOf } from '../../options.ts';
import { siteValues } from './site-values.ts';

/** One file as a render command makes it. */
export interface RenderedFile {
  readonly contents: string;
  /** Holds a password, a key or a pull secret: written for the owner only. */
  readonly secret?: boolean;
}

export interface RenderResult {
  /** The file itself, when it was not written anywhere. */
  readonly contents?: string;
  readonly path?: string;
  readonly sizeBytes: number;
  readonly digest: string;
}

type Options = Readonly<Record<string, OptionSpec>>;

interface RenderSpec<O extends Options> {
  readonly name: `render ${string}`;
  readonly summary: string;
  readonly description?: string;
  readonly arguments?: Command['arguments'];
  readonly options: O;
  readonly examples: Command['examples'];
  readonly render: (ctx: Context, input: CommandInput<O>) => Promise<RenderedFile>;
}

const COMMON = {
  site: {
    type: 'string',
    value: 'FILE',
    summary: 'Take what the flags do not say from this site file',
  },
  to: {
    type: 'string',
    value: 'FILE',
    summary: 'Write it there, whole or not at all, instead of to stdout',
  },
} as const satisfies Options;

/** A command whose result is a file: printed as it is, or written with `--to`. */
export function renderCommand<const O extends Options>(spec: RenderSpec<O>): Command {
  const { render, ...rest } = spec;
  return defineCommand<RenderResult, O & typeof COMMON>({
    ...rest,
    options: { ...optional(spec.options), ...COMMON },
    verbatim: true,
    async run(ctx, input) {
      const { to, site } = input.options as OptionValues<typeof COMMON>;
      const known = site ? await siteValues(spec.name, site, input.terminal.env) : {};
      const options = withKnown(spec.options, input.options, known);
      const file = await render(ctx, { ...input, options } as unknown as CommandInput<O>);
      return await deliver(ctx, file, to);
    },
    text: ({ contents, path }) => contents?.replace(/\n$/, '') ?? path ?? '',
  });
}

/** Required flags may come from the site, so they are looked for later. */
function optional<O extends Options>(options: O): O {
  const entries = Object.entries(options).map(([key, { required, ...spec }]) => [
    key,
    required ? { ...spec, summary: `${spec.summary} (required, unless --site knows it)` } : spec,
  ]);
  return Object.fromEntries(entries) as O;
}

/** Flags first, then what the site knows; what is still missing is named. */
function withKnown(
  specs: Options,
  given: Readonly<Record<string, unknown>>,
  known: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const values: Record<string, unknown> = { ...given };
  for (const [key, spec] of Object.entries(specs)) {
    if (isAbsent(values[key], spec) && known[key] !== undefined) values[key] = known[key];
    if (spec.required && isAbsent(values[key], spec)) {
      throw new AtollError('USAGE', `Cannot render: ${flagOf(key)} is missing`, {
        hint: 'Give it, or a site file that knows it with --site',
      });
    }
  }
  return values;
}

/** Not said on the command line: nothing, off, or just the default. */
function isAbsent(value: unknown, { default: usual }: OptionSpec): boolean {
  if (value === undefined || value === false) return true;
  if (Array.isArray(value) && value.length === 0) return true;
  return usual !== undefined && JSON.stringify(value) === JSON.stringify(usual);
}

/** Hands a file over to stdout, or writes it. */
export async function deliver(
  ctx: Context,
  { contents, secret }: RenderedFile,
  to: string | undefined,
): Promise<RenderResult> {
  const facts = { sizeBytes: Buffer.byteLength(contents), digest: digestOf(contents) };
  if (to === undefined) return { contents, ...facts };
  await writeFileAtomic(to, contents, secret ? { mode: SECRET_MODE } : {});
  ctx.emit({ type: 'file.written', path: to, sizeBytes: facts.sizeBytes });
  return { path: to, ...facts };
}
