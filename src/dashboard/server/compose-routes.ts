import type { IncomingMessage } from 'node:http';
import { ZodError } from 'zod';
import type { Context } from '../../core/context.ts';
import { AtollError, messageOf } from '../../core/errors.ts';
import { redact } from '../../core/redact.ts';
import { parseJson } from '../../core/shape.ts';
import type { Composer } from '../compose/composer.ts';

const MAX_BODY_BYTES = 256 * 1024;

export interface ComposeAnswer {
  readonly status: number;
  readonly body: unknown;
}

type Work = (composer: Composer, ctx: Context, body: unknown) => Promise<unknown>;

const named = (body: unknown): string => {
  const { name } = (body ?? {}) as { readonly name?: unknown };
  return typeof name === 'string' ? name : '';
};

/** What the page of the composer may ask for. Only `save` writes, and only the composer's own file. */
const WORKS: Readonly<Record<string, Work>> = {
  channel: (composer, ctx, body) => composer.channel(ctx, named(body)),
  path: (composer, ctx, body) => composer.path(ctx, body),
  packages: (composer, ctx, body) => composer.packages(ctx, named(body)),
  weigh: (composer, ctx, body) => composer.weigh(ctx, body),
  text: async (composer, _ctx, body) => composer.text(body),
  save: (composer, ctx, body) => composer.save(ctx, body),
};

export const isComposeWork = (name: string): boolean => Object.hasOwn(WORKS, name);

export async function answerCompose(
  ctx: Context,
  composer: Composer,
  name: string,
  request: IncomingMessage,
): Promise<ComposeAnswer> {
  try {
    const body = await WORKS[name]?.(composer, ctx, await bodyOf(request));
    return { status: 200, body };
  } catch (error) {
    // What the user chose, or what a registry said of it; a bug is for whoever called.
    if (!(error instanceof AtollError) && !(error instanceof ZodError)) throw error;
    const hint = error instanceof AtollError ? error.hint : undefined;
    return { status: 422, body: { message: redact(messageOf(error)), hint } };
  }
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) throw new AtollError('INPUT_INVALID', 'Cannot read this: too large');
    chunks.push(chunk);
  }
  return parseJson(Buffer.concat(chunks).toString('utf8'));
}
