import type { ImageSet } from '../../content/image-set/image-set.ts';
import type { Context } from '../../core/context.ts';
import { createPool } from '../../core/pool.ts';
import type { EarlyAnswer } from '../../oci/content.ts';
import { formatReference, type Reference } from '../../oci/reference.ts';
import type { Registries } from '../../remote/registries.ts';
import { type Destination, targetOf } from '../destination.ts';

const AT_ONCE = 8;

/** What the mirror has under names it was asked for ahead of time, each for whoever takes it first. */
export class EarlyAnswers {
  readonly #answers = new Map<string, Promise<EarlyAnswer>>();
  /** Settles with the first answer: from then on the mirror has questions to work on. */
  readonly begun: Promise<unknown>;

  constructor(ctx: Context, registries: Registries, names: readonly Reference[]) {
    const pool = createPool(ctx, AT_ONCE);
    for (const name of names) {
      const answer = pool.run('', () => ask(ctx, registries, name));
      // Nobody may come for it: then its failure is nobody's.
      answer.catch(() => undefined);
      this.#answers.set(formatReference(name), answer);
    }
    const [first = Promise.resolve()] = this.#answers.values();
    this.begun = first.catch(() => undefined);
  }

  /** Undefined for a name that was not asked for, or whose answer was taken: it may be another by now. */
  take(name: Reference): Promise<EarlyAnswer> | undefined {
    const key = formatReference(name);
    const answer = this.#answers.get(key);
    this.#answers.delete(key);
    return answer;
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
  { imageSet, destination, registries }: AskAheadOptions,
): EarlyAnswers | undefined {
  const { platform, operators, helm, atoll, additionalImages } = imageSet;
  const others = [operators, ...Object.values(helm), ...Object.values(atoll)];
  if (platform || others.some(({ length }) => length > 0)) return undefined;
  const names = additionalImages.flatMap(({ origin, targetRepo, targetTag }) => {
    if (origin.kind === 'layout') return [];
    const image = { kind: 'additional', source: origin.reference, reason: '' } as const;
    return targetOf(destination, { ...image, targetRepository: targetRepo, targetTag });
  });
  return new EarlyAnswers(ctx, registries, names);
}

interface AskAheadOptions {
  readonly imageSet: ImageSet;
  readonly destination: Destination;
  readonly registries: Registries;
}
