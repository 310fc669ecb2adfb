import type { z } from 'zod';
import type { Context } from '../../../core/context.ts';
import { SECRET_MODE, writeFileAtomic } from '../../../core/files.ts';
import { digestOf } from '../../../oci/digest.ts';
import type { SiteInputs } from '../../../site/inputs.ts';
import {
  type Command,
  type CommandInput,
  type CommandSpec,
  defineCommand,
  type OptionSpec,
  type Terminal,
} from '../../command.ts';
import { type Flags, type Known, optionsOf, readFlags } from './flags.ts';

type Options = Readonly<Record<string, OptionSpec>>;
type Given = CommandInput<Options>['given'];

/** One file that `atoll render NAME` writes. */
interface Target<F extends Flags> {
  /** What follows `atoll render`. */
  readonly name: string;
  readonly summary: string;
  readonly description?: string;
  /** Its flags. */
  readonly schema: F;
  /** The text of the file. */
  readonly make: (
    options: z.output<F>,
    ctx: Context,
    terminal: Terminal,
  ) => string | Promise<string>;
  /** What a site says that flags left open; what no site knows has no `--site`. */
  readonly fromSite?: (inputs: SiteInputs, given: Given) => Known<F> | Promise<Known<F>>;
  readonly examples: Command['examples'];
  /** Holds a password, a key or a pull secret: written for the owner only. */
  readonly secret?: true;
}

export interface RenderResult {
  /** The file itself, when it was not written anywhere. */
  readonly contents?: string;
  readonly path?: string;
  readonly sizeBytes: number;
  readonly digest: string;
}

const SITE = {
  type: 'string',
  value: 'FILE',
  summary: 'Take what the flags do not say from this site file',
} as const;

const TO = {
  type: 'string',
  value: 'FILE',
  summary: 'Write it there, whole or not at all, instead of to stdout',
} as const;

/** A command whose result is a file: printed as it is, or written with `--to`. */
export function renderTarget<F extends Flags>(target: Target<F>): Command {
  const { name, summary, description, schema, examples, fromSite, secret = false } = target;
  const own = optionsOf(schema);
  return defineCommand<RenderResult, Options>({
    ...{ name: `render ${name}`, summary, examples, ...(description ? { description } : {}) },
    options: { ...(fromSite ? { ...orFromSite(own), site: SITE } : own), to: TO },
    verbatim: true,
    async run(ctx, input) {
      const { site, to } = input.options as { readonly site?: string; readonly to?: string };
      const known =
        site && fromSite ? await fromSite(await readInputs(site, input), input.given) : {};
      const options = await readFlags(schema, givenOf(input), known);
      const contents = await target.make(options, ctx, input.terminal);
      return await deliver(ctx, { contents, secret }, to);
    },
    text: ({ contents, path }) => contents?.replace(/\n$/, '') ?? path ?? '',
  });
}

/** A site is the exception, and reading one loads much. */
async function readInputs(
  file: string,
  { terminal }: Pick<CommandInput<Options>, 'terminal'>,
): Promise<SiteInputs> {
  const [{ readSite }, { siteInputs }, { PLATFORMS }] = await Promise.all([
    import('../../../site/read-site.ts'),
    import('../../../site/inputs.ts'),
    import('../../platforms.ts'),
  ]);
  return siteInputs(await readSite(file, terminal.env, PLATFORMS), 'so-far');
}

/** A required flag may come from the site, so it is looked for later. */
function orFromSite(options: Options): Options {
  const entries = Object.entries(options).map(([key, { required, ...spec }]) => [
    key,
    required ? { ...spec, summary: `${spec.summary} (required, unless --site knows it)` } : spec,
  ]);
  return Object.fromEntries(entries);
}

function givenOf({ options, given }: Pick<CommandInput<Options>, 'options' | 'given'>) {
  return Object.fromEntries(Object.entries(options).filter(([key]) => given.has(key)));
}

/** A command that does more than write one file, with flags from a schema like the others. */
export function schemaCommand<R, F extends Flags>(
  spec: Omit<CommandSpec<R, Options>, 'options' | 'run'> & {
    readonly schema: F;
    readonly run: (
      ctx: Context,
      options: z.output<F>,
      args: CommandInput<Options>['args'],
    ) => Promise<R>;
  },
): Command {
  const { schema, run, ...rest } = spec;
  return defineCommand<R, Options>({
    ...rest,
    options: optionsOf(schema),
    run: async (ctx, input) => run(ctx, await readFlags(schema, givenOf(input), {}), input.args),
  });
}

/** Hands a file over to stdout, or writes it. */
export async function deliver(
  ctx: Context,
  { contents, secret }: { readonly contents: string; readonly secret: boolean },
  to: string | undefined,
): Promise<RenderResult> {
  const facts = { sizeBytes: Buffer.byteLength(contents), digest: digestOf(contents) };
  if (to === undefined) return { contents, ...facts };
  await writeFileAtomic(to, contents, secret ? { mode: SECRET_MODE } : {});
  ctx.emit({ type: 'file.written', path: to, sizeBytes: facts.sizeBytes });
  return { path: to, ...facts };
}
