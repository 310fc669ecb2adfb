import type { ImageSet } from '../../content/image-set/image-set.ts';
import type { Context } from '../../core/context.ts';
import { createPool, type Pool } from '../../core/pool.ts';
import type { EarlyAnswer } from '../../oci/content.ts';
import { formatReference, type Reference } from '../../oci/reference.ts';
import type { Registries } from '../../remote/registries.ts';
import { type Destination, targetOf } from '../destination.ts';

const AT_ONCE = 16;

/** A cache of answers that were requested ahead of time; each is handed out once. */
export class EarlyAnswers {
  readonly #answers = new Map<string, Promise<EarlyAnswer>>();
  readonly #ctx: Context;
  readonly #registries: Registries;
  readonly #pool: Pool;
  readonly #over = new AbortController();
  #wanted: ReadonlySet<string> | undefined;

  constructor(ctx: Context, registries: Registries) {
    this.#ctx = { ...ctx, signal: AbortSignal.any([ctx.signal, this.#over.signal]) };
    this.#registries = registries;
    this.#pool = createPool(this.#ctx, AT_ONCE);
  }

  /** Settles with the first answer: from then on the mirror has questions to work on. */
  get begun(): Promise<unknown> {
    const [first = Promise.resolve()] = this.#answers.values();
    return first.catch(() => undefined);
  }

  /** Each name is asked for once. */
  ask(names: readonly Reference[]): void {
    for (const name of names) {
      const key = formatReference(name);
      if (this.#answers.has(key)) continue;
      const answer = this.#pool.run('', () => this.#ask(key, name));
      // It may never be awaited: then its failure must not be unhandled.
      answer.catch(() => undefined);
      this.#answers.set(key, answer);
    }
  }

  /** What has not been asked for yet and is none of these need not be. */
  only(names: readonly Reference[]): void {
    this.#wanted = new Set(names.map(formatReference));
  }

  /** Undefined for a name that was not asked for, or whose answer was taken: it may be another by now. */
  take(name: Reference): Promise<EarlyAnswer> | undefined {
    const key = formatReference(name);
    const answer = this.#answers.get(key);
    this.#answers.delete(key);
    return answer;
  }

  /** Cancels requests that are under way, without reporting them. */
  end(): void {
    this.#over.abort(new Error('no answer is needed any more'));
  }

  #ask(key: string, name: Reference): Promise<EarlyAnswer> {
    const isWanted = this.#wanted?.has(key) ?? true;
    if (!isWanted) return Promise.reject(new Error(`${key} is not wanted any more`));
    return ask(this.#ctx, this.#registries, name);
  }
}

async function ask(
  ctx: Context,
  registries: Registries,
  { registry, repository, tag = '' }: Reference,
): Promise<EarlyAnswer> {
  const start = performance.now();
  const found = await registries.repository(registry, repository).can.read?.resolve(ctx, tag);
  return { found, tookMs: performance.now() - start };
}

/**
 * Asks the mirror while upstream is still being asked, so that neither waits for the other. Only for image
 * sets that list images: what else there is takes long to collect, and answers would grow old.
 */
export function askAhead(
  ctx: Context,
  { imageSet, destination, registries, asked }: AskAheadOptions,
): EarlyAnswers | undefined {
  const { platform, operators, helm, atoll, additionalImages } = imageSet;
  const others = [operators, ...Object.values(helm), ...Object.values(atoll)];
  if (platform || others.some(({ length }) => length > 0)) {
    asked?.only([]);
    return undefined;
  }
  const names = additionalImages.flatMap(({ origin, targetRepo, targetTag }) => {
    if (origin.kind === 'layout') return [];
    const image = { kind: 'additional', source: origin.reference, reason: '' } as const;
    return targetOf(destination, { ...image, targetRepository: targetRepo, targetTag });
  });
  const answers = asked ?? new EarlyAnswers(ctx, registries);
  answers.only(names);
  answers.ask(names);
  return answers;
}

interface AskAheadOptions {
  readonly imageSet: ImageSet;
  readonly destination: Destination;
  readonly registries: Registries;
  /** Requests that were sent before the image set was read. */
  readonly asked?: EarlyAnswers | undefined;
}
