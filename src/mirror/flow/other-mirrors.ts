import * as z from 'zod';
import { AtollError } from '../../core/errors.ts';
import { readTextIfPresent, writeFileAtomic } from '../../core/files.ts';
import { byFirst } from '../../core/order.ts';
import { parseJson } from '../../core/shape.ts';
import type { WorkingDir } from './working-dir.ts';

/** Mirrors with the same content, each as `host[:port][/path]`. No others forgets those of earlier. */
export interface OtherMirrors {
  readonly of: string;
  readonly mirrors: readonly string[];
}

/**
 * All other mirrors that are known, by the one they stand in for: what is given now, and what earlier
 * runs were told. A later sync or delete that is not told again must not take them out of the rules.
 */
export async function knownMirrors(
  workingDir: WorkingDir,
  given: OtherMirrors | undefined,
): Promise<readonly OtherMirrors[]> {
  const path = workingDir.file('other-mirrors.json');
  const text = await readTextIfPresent(path);
  const known = new Map(text === undefined ? [] : Object.entries(parse(path, text)));
  if (given && given.mirrors.join(' ') !== (known.get(given.of) ?? []).join(' ')) {
    known.set(given.of, [...given.mirrors]);
    await write(path, known);
  }
  return [...known].toSorted(byFirst).map(([of, mirrors]) => ({ of, mirrors }));
}

function parse(path: string, text: string): Readonly<Record<string, string[]>> {
  const mirrors = z.record(z.string(), z.array(z.string()));
  const parsed = z.object({ version: z.literal(1), mirrors }).safeParse(parseJson(text));
  if (parsed.success) return parsed.data.mirrors;
  throw new AtollError('INPUT_INVALID', `Cannot read "${path}": it is not what atoll wrote`, {
    hint: 'Remove it, and name other mirrors with --also-at again',
    details: { path },
  });
}

async function write(path: string, known: ReadonlyMap<string, readonly string[]>): Promise<void> {
  const mirrors = Object.fromEntries(
    [...known].filter(([, others]) => others.length > 0).toSorted(byFirst),
  );
  await writeFileAtomic(path, `${JSON.stringify({ version: 1, mirrors }, null, 2)}\n`);
}
