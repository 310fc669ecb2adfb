import type { Context } from '../core/context.ts';
import type { Resource } from '../platform/platform.ts';
import { openLineFile, readLines } from '../workflow/journal-file.ts';

type Entry = { readonly seq: number; readonly at: string } & (
  | ({ readonly kind: 'claimed' } & { readonly resource: Resource })
  | { readonly kind: 'removed'; readonly resource: Pick<Resource, 'kind' | 'id'> }
);

/** What this site has made and not yet removed. `down` removes exactly this, newest first. */
export interface Inventory {
  /** Newest first. */
  resources(): readonly Resource[];
  /** Before the thing is made: after a crash it is better to know too much than too little. */
  claim(resource: Resource): Promise<void>;
  removed(resource: Resource): Promise<void>;
  close(): Promise<void>;
}

const keyOf = ({ kind, id }: Pick<Resource, 'kind' | 'id'>) => `${kind} ${id}`;

export async function openInventory(ctx: Context, path: string): Promise<Inventory> {
  const { records } = await readLines(path);
  const present = new Map<string, Resource>();
  let seq = 0;
  for (const entry of records as unknown as Entry[]) {
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
