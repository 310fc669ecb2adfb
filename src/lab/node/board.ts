import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Context } from '../../core/context.ts';
import { readTextIfPresent, writeFileAtomic } from '../../core/files.ts';
import { sleep } from '../../core/retry.ts';

const LOOK_AGAIN_MS = 50;

/** Facts that nodes of a lab tell each other: what a cluster would keep in its API. */
export type ClusterFact =
  | 'machine-config-served'
  | 'control-plane-up'
  | 'bootstrap-complete'
  | `node-joined/${string}`
  | `failed/${string}`
  | `pulls/${string}`;

/** The folder that stands for the Kubernetes API of the lab. */
export class Board {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async tell(fact: ClusterFact, value: unknown = {}): Promise<void> {
    await writeFileAtomic(join(this.#folder, `${fact}.json`), `${JSON.stringify(value)}\n`);
  }

  async read(fact: ClusterFact): Promise<unknown> {
    const text = await readTextIfPresent(join(this.#folder, `${fact}.json`));
    return text === undefined ? undefined : JSON.parse(text);
  }

  /** Names below a kind of fact: which nodes joined, which failed. */
  async names(kind: 'node-joined' | 'failed' | 'pulls'): Promise<string[]> {
    const entries = await readdir(join(this.#folder, kind)).catch(() => []);
    return entries
      .filter((name) => name.endsWith('.json'))
      .map((name) => name.slice(0, -'.json'.length))
      .toSorted();
  }

  async waitFor(ctx: Context, fact: ClusterFact): Promise<void> {
    while ((await this.read(fact)) === undefined) await sleep(ctx, LOOK_AGAIN_MS);
  }

  /** Waits until so many nodes whose names start like this have joined. */
  async waitForNodes(ctx: Context, prefix: string, count: number): Promise<void> {
    for (;;) {
      const joined = await this.names('node-joined');
      if (joined.filter((name) => name.startsWith(prefix)).length >= count) return;
      await sleep(ctx, LOOK_AGAIN_MS);
    }
  }
}
