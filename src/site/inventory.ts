import * as z from 'zod';
import type { Context } from '../core/context.ts';
import type { SiteResource } from '../platform/platform.ts';
import { openLineFile, readLines } from '../workflow/journal-file.ts';

const resourceSchema = z.object({
  kind: z.string(),
  id: z.string(),
  temporary: z.boolean(),
  lifetime: z.literal('install').optional(),
}) satisfies z.ZodType<SiteResource>;

const entrySchema = z.discriminatedUnion('kind', [
  z.object({ seq: z.number(), kind: z.literal('claimed'), resource: resourceSchema }),
  z.object({
    seq: z.number(),
    kind: z.literal('removed'),
    resource: resourceSchema.pick({ kind: true, id: true }),
  }),
]);

/** What this site has made and not yet removed. `down` removes exactly this, newest first. */
export interface SiteInventory {
  /** Newest first. */
  resources(): readonly SiteResource[];
  /** Before the thing is made: after a crash it is better to know too much than too little. */
  claim(resource: SiteResource): Promise<void>;
  removed(resource: SiteResource): Promise<void>;
  close(): Promise<void>;
}

const keyOf = ({ kind, id }: Pick<SiteResource, 'kind' | 'id'>) => `${kind} ${id}`;

export async function openInventory(ctx: Context, path: string): Promise<SiteInventory> {
  const { records } = await readLines(path, entrySchema);
  const present = new Map<string, SiteResource>();
  let seq = 0;
  for (const entry of records) {
    seq = Math.max(seq, entry.seq);
    if (entry.kind === 'claimed') present.set(keyOf(entry.resource), entry.resource);
    else present.delete(keyOf(entry.resource));
  }
  const file = openLineFile(path);
  const append = (entry: object) => {
    seq += 1;
    return file.append({ seq, at: ctx.now().toISOString(), ...entry }, true);
  };

  return {
    resources: () => [...present.values()].toReversed(),
    async claim(resource) {
      if (present.has(keyOf(resource))) return;
      await append({ kind: 'claimed', resource });
      present.set(keyOf(resource), resource);
    },
    async removed(resource) {
      await append({ kind: 'removed', resource: { kind: resource.kind, id: resource.id } });
      present.delete(keyOf(resource));
    },
    close: () => file.close(),
  };
}
