import type * as z from 'zod';
import { AtollError } from './errors.ts';
import { parseJson } from './shape.ts';

export interface KeptFile<T> {
  readonly path: string;
  readonly schema: z.ZodType<T>;
  /** The command that writes the file anew. */
  readonly remake: string;
}

/**
 * What an earlier run kept as JSON. A file that was cut off or edited is named together with the command
 * that makes it anew; its text is not, since some of these files hold secrets.
 */
export function parseKept<T>(text: string, { path, schema, remake }: KeptFile<T>): T {
  const parsed = schema.safeParse(parseJson(text));
  if (parsed.success) return parsed.data;
  throw new AtollError('INPUT_INVALID', `Cannot read "${path}": it is not what atoll wrote there`, {
    hint: `Remove it, then make it anew: ${remake}`,
    details: { path },
  });
}
