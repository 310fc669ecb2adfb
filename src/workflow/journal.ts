import * as z from 'zod';
import type { Context } from '../core/context.ts';
import { counted } from '../core/format.ts';
import { isObject } from '../core/shape.ts';
import { openLineFile, readLines } from './journal-file.ts';
import type { JsonObject } from './step.ts';

const step = z.string();
const fields = z.record(z.string(), z.string()).readonly();
/** It was JSON in the file: what is in it is for the step that wrote it. */
const output = z.custom<JsonObject>(isObject);

/** A fact about a step. Secrets are never in here: they live in 0600 files beside the journal. */
const recordSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('started'), step, fields }),
  z.object({ kind: z.literal('finished'), step, fields, output }),
  z.object({
    kind: z.literal('failed'),
    step,
    code: z.string().exactOptional(),
    message: z.string(),
  }),
  /** What the step made was removed again: it has to run when it is wanted. */
  z.object({ kind: z.literal('undone'), step }),
]);

const stampedSchema = recordSchema.and(z.object({ seq: z.number(), at: z.string() }));

export type JournalRecord = z.output<typeof recordSchema>;
type Stamped = z.output<typeof stampedSchema>;

/** What the journal says of one step, its records folded. */
export interface StepHistory {
  readonly state: 'started' | 'finished' | 'failed' | 'undone';
  /** Hashes of the inputs it last started or finished with. */
  readonly fields: Readonly<Record<string, string>>;
  /** Output of the last time it finished, unless that was undone. */
  readonly output: JsonObject | undefined;
  readonly message: string | undefined;
  readonly at: string;
}

/** The durable memory of a site. Appending is the only way to change it. */
export interface Journal {
  history(step: string): StepHistory | undefined;
  steps(): ReadonlyMap<string, StepHistory>;
  /** Has reached the disk when this returns. */
  append(record: JournalRecord): Promise<void>;
  close(): Promise<void>;
}

function fold(before: StepHistory | undefined, record: Stamped): StepHistory {
  const { at } = record;
  const earlier = { fields: before?.fields ?? {}, output: before?.output };
  switch (record.kind) {
    case 'started':
      return {
        state: 'started',
        fields: record.fields,
        output: earlier.output,
        message: undefined,
        at,
      };
    case 'finished':
      return {
        state: 'finished',
        fields: record.fields,
        output: record.output,
        message: undefined,
        at,
      };
    case 'failed':
      return { state: 'failed', ...earlier, message: record.message, at };
    case 'undone':
      return { state: 'undone', fields: {}, output: undefined, message: undefined, at };
  }
}

/** Opens a journal, reading what earlier runs left. Damaged lines are skipped and told. */
export async function openJournal(ctx: Context, path: string): Promise<Journal> {
  const { records, damaged } = await readLines(path, stampedSchema);
  if (damaged.length > 0) {
    ctx.emit({
      type: 'warning.raised',
      message: `Skipped ${counted(damaged.length, 'damaged line')} of the journal "${path}": ${damaged.join(', ')}`,
      hint: 'A crash tears at most the last line; steps whose record was lost run again',
    });
  }
  const steps = new Map<string, StepHistory>();
  let seq = 0;
  for (const record of records) {
    steps.set(record.step, fold(steps.get(record.step), record));
    seq = Math.max(seq, record.seq);
  }
  const file = openLineFile(path);

  return {
    history: (step) => steps.get(step),
    steps: () => steps,
    async append(record) {
      seq += 1;
      const stamped: Stamped = { seq, at: ctx.now().toISOString(), ...record };
      await file.append(stamped, true);
      steps.set(record.step, fold(steps.get(record.step), stamped));
    },
    close: () => file.close(),
  };
}
