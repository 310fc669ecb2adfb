import type { ErrorCode } from './error-codes.ts';

/**
 * Everything that can happen, told in the past tense. Types and fields are a contract and only
 * grow; the text a person reads is made by the reporters and may change.
 *
 * Payloads are plain JSON, with units in the names, and never hold a secret.
 */
export type AtollEvent =
  // Any long work: reporters draw bars and lines from these four.
  | { type: 'task.started'; task: string; title: string; totalBytes?: number; totalItems?: number }
  | {
      type: 'task.progressed';
      task: string;
      doneBytes?: number;
      totalBytes?: number;
      doneItems?: number;
      totalItems?: number;
      note?: string;
    }
  | { type: 'task.finished'; task: string; title: string; summary?: string; durationMs?: number }
  | { type: 'task.failed'; task: string; title: string; code?: ErrorCode; message: string }
  // Things worth a line of their own.
  | { type: 'note.added'; message: string }
  | { type: 'warning.raised'; message: string; hint?: string; subject?: string }
  | {
      type: 'attempt.failed';
      operation: string;
      attempt: number;
      attempts: number;
      delayMs: number;
      code?: ErrorCode;
      message: string;
    }
  // Content.
  | { type: 'blob.copied'; digest: string; sizeBytes: number }
  | { type: 'blob.reused'; digest: string; sizeBytes: number }
  | { type: 'blob.mounted'; digest: string; sizeBytes: number; from: string }
  | {
      type: 'image.copied';
      source: string;
      target: string;
      digest: string;
      sizeBytes: number;
      copiedBytes: number;
    }
  | { type: 'image.skipped'; source: string; target: string; digest: string; reason: string }
  | { type: 'image.failed'; source: string; target: string; code?: ErrorCode; message: string }
  | { type: 'file.written'; path: string; sizeBytes?: number }
  // Workflows.
  | { type: 'run.started'; run: string; site?: string }
  | {
      type: 'run.finished';
      run: string;
      outcome: 'succeeded' | 'failed' | 'interrupted';
      durationMs: number;
    }
  | { type: 'step.started'; step: string; title: string; reason?: string }
  | { type: 'step.finished'; step: string; durationMs: number }
  | { type: 'step.skipped'; step: string; reason: string }
  | { type: 'step.failed'; step: string; code?: ErrorCode; message: string; hint?: string }
  // Servers.
  | { type: 'server.started'; server: string; url: string }
  | { type: 'server.stopped'; server: string };

export type EventType = AtollEvent['type'];

/** The event of one type, for readers that handle it apart. */
export type EventOf<T extends EventType> = Extract<AtollEvent, { type: T }>;

/** An event as the journal keeps it: `seq` has no gaps within a run. */
export type RecordedEvent = AtollEvent & { readonly seq: number; readonly at: string };
