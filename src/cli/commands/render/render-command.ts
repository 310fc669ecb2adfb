import type { Context } from '../../../core/context.ts';
import { SECRET_MODE, writeFileAtomic } from '../../../core/files.ts';
import { digestOf } from '../../../oci/digest.ts';
import {
  type Command,
  type CommandInput,
  defineCommand,
  type OptionSpec,
  type OptionValues,
} from '../../command.ts';

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

const TO = {
  to: {
    type: 'string',
    value: 'FILE',
    summary: 'Write it there, whole or not at all, instead of to stdout',
  },
} as const satisfies Options;

/** A command whose result is a file: printed as it is, or written with `--to`. */
export function renderCommand<const O extends Options>(spec: RenderSpec<O>): Command {
  const { render, ...rest } = spec;
  return defineCommand<RenderResult, O & typeof TO>({
    ...rest,
    options: { ...spec.options, ...TO },
    verbatim: true,
    async run(ctx, input) {
      const file = await render(ctx, input as unknown as CommandInput<O>);
      const { to } = input.options as OptionValues<typeof TO>;
      return await deliver(ctx, file, to);
    },
    text: ({ contents, path }) => contents?.replace(/\n$/, '') ?? path ?? '',
  });
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
