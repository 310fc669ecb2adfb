import * as z from 'zod';
import { AtollError } from '../../core/errors.ts';
import { readText } from '../../core/files.ts';

/** Names the plan of the namespace to the process inside it. */
export const NAMESPACE_VARIABLE = 'ATOLL_REHEARSE_NAMESPACE';

const schema = z.object({
  /** Names of the mirror and their addresses, resolved outside: inside there is no DNS. */
  hosts: z.record(z.string(), z.string()),
  /** Doors of the mirror: inside at its own address, outside through a socket in the file system. */
  doors: z.array(z.object({ address: z.string(), port: z.number(), socket: z.string() })),
});

/** What the process in the namespace needs to know: the mirror, and nothing else. */
export type NamespacePlan = z.infer<typeof schema>;

export async function readNamespacePlan(path: string): Promise<NamespacePlan> {
  const parsed = schema.safeParse(JSON.parse(await readText(path)));
  if (parsed.success) return parsed.data;
  throw new AtollError('INPUT_INVALID', `Cannot use "${path}" as the plan of a namespace`, {
    hint: `Do not set ${NAMESPACE_VARIABLE}: "atoll rehearse --isolate" does`,
  });
}
