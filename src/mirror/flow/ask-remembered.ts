import type { Context } from '../../core/context.ts';
import { readTextIfPresent } from '../../core/files.ts';
import { isObject, parseJson } from '../../core/shape.ts';
import { type Reference, referenceIfValid } from '../../oci/reference.ts';
import type { Registries } from '../../remote/registries.ts';
import type { Destination } from '../destination.ts';
import { EarlyAnswers } from './ask-ahead.ts';
import { memoryFile } from './working-files.ts';

/** Longer memories are those of releases and catalogs, and take long to read. */
const MOST_CHARS = 500_000;
/** A mirror nearby has answered by then; a slower one is not waited for. */
const HEAD_START_MS = 20;

interface AskRememberedOptions {
  /** Where working-dir is. */
  readonly dir: string;
  readonly destination: Destination;
  readonly registries: Registries;
}

/**
 * Asks the mirror for what earlier runs put there, before the image set is read: most likely it lists the same,
 * and reading it takes as long as the answers. What it does not list is not asked for any more once that is known.
 */
export async function askRemembered(
  ctx: Context,
  { dir, destination, registries }: AskRememberedOptions,
): Promise<EarlyAnswers | undefined> {
  const text = await readTextIfPresent(memoryFile(dir)).catch(() => undefined);
  const names = rememberedNames(text, destination);
  if (names.length === 0) return undefined;
  const answers = new EarlyAnswers(ctx, registries);
  answers.ask(names);
  await soon(answers.begun);
  return answers;
}

/** Names that are good for a question: what the memory is worth is found out when it is read for good. */
function rememberedNames(text: string | undefined, { registry }: Destination): Reference[] {
  const memory = text !== undefined && text.length <= MOST_CHARS ? parseJson(text) : undefined;
  const images = isObject(memory) && Array.isArray(memory.images) ? memory.images : [];
  // Collecting anything else takes so long that answers would be old.
  if (!images.every((image) => isObject(image) && image.kind === 'additional')) return [];
  return images
    .flatMap(({ target }) => (typeof target === 'string' ? (referenceIfValid(target) ?? []) : []))
    .filter((name) => name.registry === registry && name.tag !== undefined);
}

async function soon(begun: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, HEAD_START_MS);
  });
  await Promise.race([begun, late]);
  clearTimeout(timer);
}
