import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import * as z from 'zod';
import { systemCodeOf } from '../../core/errors.ts';
import { unreadable } from '../../core/files.ts';
import type { AccessEntry } from './access-log.ts';

/** Fields only grow, so what is not known here is left alone. */
const accessEntry = z.object({
  at: z.string(),
  listener: z.string(),
  client: z.string(),
  user: z.string().optional(),
  token: z.string().optional(),
  claimedUser: z.string().optional(),
  refusal: z.string().optional(),
  method: z.string(),
  path: z.string(),
  status: z.number(),
  error: z.string().optional(),
  route: z.string().optional(),
  repository: z.string().optional(),
  reference: z.string().optional(),
  digest: z.string().optional(),
  complete: z.boolean(),
  bytesReceived: z.number(),
  bytesSent: z.number(),
  durationMs: z.number(),
  agent: z.string().optional(),
});

/** Undefined for a line that is none, such as one that a full disk cut short. */
export function parseAccessLine(line: string): AccessEntry | undefined {
  try {
    return accessEntry.parse(JSON.parse(line));
  } catch {
    return undefined;
  }
}

/** Every request since a moment, in the order in which they ended. Nothing when there is no log yet. */
export async function* readAccessLog(
  path: string,
  { since = '' }: { readonly since?: string | undefined } = {},
): AsyncGenerator<AccessEntry> {
  const file = createReadStream(path, 'utf8');
  try {
    for await (const line of createInterface({
      input: file,
      crlfDelay: Number.POSITIVE_INFINITY,
    })) {
      const entry = parseAccessLine(line);
      if (entry !== undefined && entry.at >= since) yield entry;
    }
  } catch (error) {
    if (systemCodeOf(error) !== 'ENOENT') throw unreadable(path, error);
  } finally {
    file.destroy();
  }
}
