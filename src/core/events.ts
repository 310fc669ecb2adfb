import * as z from 'zod';
import { ERROR_NAMES } from './error-codes.ts';
import { parseJson } from './shape.ts';

const text = z.string();
const count = z.number();
const perhaps = {
  text: text.exactOptional(),
  count: count.exactOptional(),
  yes: z.literal(true).exactOptional(),
};
const code = z.enum(ERROR_NAMES).meta({ id: 'errorCode' }).exactOptional();

const event = <const Type extends string, Shape extends z.core.$ZodShape>(
  type: Type,
  shape: Shape,
) => z.object({ type: z.literal(type), ...shape });

/**
 * Everything that can happen, told in the past tense. Types and fields are a contract and only
 * grow; the text a person reads is made by the reporters and may change.
 *
 * Payloads are plain JSON, with units in the names, and never hold a secret.
 */
export const eventSchema = z.discriminatedUnion('type', [
  // Any long work: reporters draw bars and lines from these four.
  event('task.started', {
    task: text,
    title: text,
    totalBytes: perhaps.count,
    totalItems: perhaps.count,
  }),
  event('task.progressed', {
    task: text,
    doneBytes: perhaps.count,
    totalBytes: perhaps.count,
    doneItems: perhaps.count,
    totalItems: perhaps.count,
    note: perhaps.text,
  }),
  event('task.finished', {
    task: text,
    title: text,
    summary: perhaps.text,
    durationMs: perhaps.count,
  }),
  event('task.failed', { task: text, title: text, code, message: text }),
  // Things worth a line of their own.
  event('note.added', { message: text }),
  event('warning.raised', { message: text, hint: perhaps.text, subject: perhaps.text }),
  event('attempt.failed', {
    operation: text,
    attempt: count,
    attempts: count,
    delayMs: count,
    code,
    message: text,
  }),
  // Content.
  event('blob.copied', { digest: text, sizeBytes: count }),
  event('blob.reused', { digest: text, sizeBytes: count }),
  event('blob.mounted', { digest: text, sizeBytes: count, from: text }),
  event('image.copied', {
    source: text,
    target: text,
    digest: text,
    sizeBytes: count,
    copiedBytes: count,
  }),
  event('image.skipped', { source: text, target: text, digest: text, reason: text }),
  event('image.failed', { source: text, target: text, code, message: text }),
  event('file.written', { path: text, sizeBytes: perhaps.count }),
  // Workflows.
  event('run.started', { run: text, site: perhaps.text }),
  event('run.finished', {
    run: text,
    outcome: z.enum(['succeeded', 'failed', 'interrupted']),
    durationMs: count,
  }),
  event('step.started', { step: text, title: text, reason: perhaps.text }),
  event('step.finished', { step: text, durationMs: count }),
  event('step.skipped', { step: text, reason: text }),
  event('step.failed', { step: text, code, message: text, hint: perhaps.text, ends: perhaps.yes }),
  // A cluster that comes up: its operators, nodes, members of etcd, requests for certificates.
  event('cluster.changed', {
    kind: z.enum(['operator', 'node', 'member', 'request']),
    name: text,
    /** How it stands now; `gone` when it is not there any more. */
    state: text,
    message: perhaps.text,
  }),
  // Servers.
  event('server.started', { server: text, url: text }),
  event('server.stopped', { server: text }),
]);

/** An event as the journal keeps it: `seq` has no gaps within a run. */
export const recordedEventSchema = eventSchema.and(z.object({ seq: z.int().min(1), at: text }));

export type AtollEvent = z.output<typeof eventSchema>;
export type EventType = AtollEvent['type'];

/** The event of one type, for readers that handle it apart. */
export type EventOf<T extends EventType> = Extract<AtollEvent, { type: T }>;

export type RecordedEvent = AtollEvent & { readonly seq: number; readonly at: string };

/** The event of one line that another process wrote; undefined where it is a line of words. */
export function eventOfLine(line: string): AtollEvent | undefined {
  return eventSchema.safeParse(parseJson(line)).data;
}
