import { statSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import type { Context } from '../../core/context.ts';
import { makeFolder, readTextIfPresent, SECRET_MODE, writeFileAtomic } from '../../core/files.ts';
import { mapBounded } from '../../core/pool.ts';
import { parseDefinition, type RegistryProblem } from './definition.ts';
import { definitionsBelow, readDefinitionText, withoutRepeats } from './read-registry.ts';

const problem = z.object({
  file: z.string(),
  line: z.number().optional(),
  message: z.string(),
  severity: z.enum(['error', 'warning']),
});

/** What a list shows of one file. */
const summary = z.object({
  kind: z.enum(['ref', 'chain', 'workflow', 'observer']),
  name: z.string().optional(),
  documentation: z.string(),
  problems: z.array(problem.transform((each) => ({ ...each, line: each.line }))),
});
type Summary = z.output<typeof summary>;

/** By path: the file as it was, so that one that changed is read again. */
const memorySchema = z.object({
  version: z.literal(1),
  files: z.record(z.string(), z.tuple([z.string(), summary])),
});
type Memory = z.output<typeof memorySchema>['files'];

const LOOKS_AT_ONCE = 64;
/** A file that changed a moment ago may change again without its times telling. */
const SETTLED_MS = 2000;

export interface ListedDefinition {
  readonly kind: Summary['kind'];
  readonly name: string;
  readonly documentation: string;
}

/**
 * Every definition below a folder with its first words. Reading ten thousand files takes long, so what
 * they said is remembered in a file, and those that changed are read again.
 */
export async function listSteps(
  ctx: Context,
  root: string,
  memoryFile: string,
): Promise<{
  readonly steps: readonly ListedDefinition[];
  readonly problems: readonly RegistryProblem[];
}> {
  const memory = await recall(memoryFile);
  const kept: Memory = {};
  let changed = false;
  const names = await definitionsBelow(root);
  const found = await mapBounded(ctx, LOOKS_AT_ONCE, names, async (file) => {
    const { state, isSettled } = stateOf(ctx, join(root, file));
    const known = memory[file];
    const isKnown = known !== undefined && known[0] === state;
    const told = isKnown ? known[1] : summaryOf(file, await readDefinitionText(root, file));
    changed ||= !isKnown && isSettled;
    if (isSettled) kept[file] = [state, told];
    return { file, ...told, name: told.name };
  });
  if (changed || Object.keys(memory).length !== Object.keys(kept).length)
    await remember(memoryFile, kept);
  const { taken, problems } = withoutRepeats(found);
  const steps = taken.map(({ kind, name = '', documentation }) => ({ kind, name, documentation }));
  return { steps, problems };
}

function summaryOf(file: string, text: string): Summary {
  const { kind, name, value, problems } = parseDefinition({ file, text });
  const { documentation } = (value ?? {}) as { documentation?: string | null };
  const [first = ''] = (documentation ?? '').trim().split('\n');
  return { kind, name, documentation: first, problems: [...problems] };
}

/** Not asynchronous: of ten thousand looks, handing each to another thread takes most of the time. */
function stateOf(ctx: Context, path: string) {
  const { size, mtimeMs, ctimeMs, ino } = statSync(path);
  const isSettled = ctx.now().getTime() - Math.max(mtimeMs, ctimeMs) > SETTLED_MS;
  return { state: [size, mtimeMs, ctimeMs, ino].join(' '), isSettled };
}

/** Nothing of a memory that is torn or of another version. */
async function recall(path: string): Promise<Memory> {
  try {
    const text = await readTextIfPresent(path);
    return text === undefined ? {} : memorySchema.parse(JSON.parse(text)).files;
  } catch {
    return {};
  }
}

async function remember(path: string, files: Memory): Promise<void> {
  try {
    await makeFolder(join(path, '..'));
    await writeFileAtomic(path, JSON.stringify({ version: 1, files }), { mode: SECRET_MODE });
  } catch {
    // A home that cannot be written costs time, nothing else.
  }
}
