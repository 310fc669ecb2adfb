import { join } from 'node:path';
import * as z from 'zod';
import type { Context } from '../core/context.ts';
import type { AtollEvent, RecordedEvent } from '../core/events.ts';
import { redactJson } from '../core/redact.ts';
import { openLineFile, readLines } from './journal-file.ts';

/** Ticks are for the screen; the log keeps starts, ends and totals. */
const TICKS: ReadonlySet<string> = new Set(['task.progressed']);

/** The name of a run: when it began, so that names sort by time. */
export const runNameOf = (started: Date): string =>
  started.toISOString().replaceAll(/[-:]/g, '').replace(/\..*/, 'Z');

export function eventLogPath(runDirectory: string): string {
  return join(runDirectory, 'events.ndjson');
}

export interface EventLog {
  /** Records an event and returns it with its number. */
  record(event: AtollEvent): RecordedEvent | undefined;
  close(): Promise<void>;
}

/** The log of one run: every event but ticks, numbered without gaps, without secrets. */
export async function openEventLog(
  ctx: Pick<Context, 'now'>,
  runDirectory: string,
): Promise<EventLog> {
  const path = eventLogPath(runDirectory);
  // Also events of a kind that this version does not know have a number.
  const { records } = await readLines(path, z.object({ seq: z.number() }));
  let seq = records.at(-1)?.seq ?? 0;
  const file = openLineFile(path);
  let failure: unknown;

  return {
    record(event) {
      if (TICKS.has(event.type)) return undefined;
      seq += 1;
      const recorded = { seq, at: ctx.now().toISOString(), ...redactJson(event) };
      file.append(recorded).catch((error: unknown) => {
        failure ??= error;
      });
      return recorded;
    },
    async close() {
      await file.close();
      if (failure) throw failure;
    },
  };
}

/** The same context, whose events are also recorded. */
export function recordedContext(ctx: Context, log: EventLog): Context {
  return {
    ...ctx,
    emit: (event) => {
      log.record(event);
      ctx.emit(event);
    },
  };
}
