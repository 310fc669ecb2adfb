import type { Context } from '../core/context.ts';
import { messageOf } from '../core/errors.ts';
import { counted } from '../core/format.ts';
import type { EvidenceSink, LinePattern } from './evidence.ts';
import { kindOfContent } from './file-content-kind.ts';
import { type FileKind, kindOfPath } from './file-kind.ts';
import { parseServiceRecord, type ServiceRecordEntry } from './formats/service-record.ts';
import type { ArchiveLimits } from './limits.ts';
import { createLineReader, type LineReader } from './read-lines.ts';
import { readObjects } from './read-objects.ts';
import { plainLines } from './scan/plain-lines.ts';
import { type EvidenceInput, peek, type SourceFile, sourceFiles } from './source-files.ts';
import { asUtf8 } from './utf16.ts';

export interface EvidenceOptions {
  readonly limits?: ArchiveLimits;
  /** Origin of files whose place in a bundle does not tell: it wins over every guess. */
  readonly origin?: string | undefined;
  /** What the work is called while it goes on. */
  readonly title?: string | undefined;
}

export interface EvidenceTotals {
  readonly files: number;
  readonly bytes: number;
}

const MAX_RECORD_BYTES = 16 * 1024 * 1024;
const PROGRESS_BYTES = 32 * 1024 * 1024;
const TASK = 'read-evidence';

/** Reads all of this once and tells the sink what it asked for. Memory stays flat. */
export async function readEvidence<P extends LinePattern>(
  ctx: Context,
  inputs: readonly EvidenceInput[],
  sink: EvidenceSink<P>,
  options: EvidenceOptions = {},
): Promise<EvidenceTotals> {
  const lines = createLineReader(sink, ctx.now());
  const meter = createMeter(ctx);
  const { title = 'Reading logs' } = options;
  ctx.emit({ type: 'task.started', task: TASK, title });
  const files = sourceFiles(ctx, inputs, {
    onUnread: (unread) => sink.onUnread(unread),
    ...(options.limits ? { limits: options.limits } : {}),
  });
  for await (const file of files) {
    await readFile({ ...file, content: meter.count(file.content) }, sink, lines, options.origin);
    meter.fileDone();
  }
  const totals = meter.totals();
  ctx.emit({ type: 'task.finished', task: TASK, title, summary: counted(totals.files, 'file') });
  return totals;
}

async function readFile<P extends LinePattern>(
  file: SourceFile,
  sink: EvidenceSink<P>,
  lines: LineReader,
  origin: string | undefined,
): Promise<void> {
  // A walk may have begun inside a bundle: then only the whole path tells.
  const byPath = kindOfPath(file.path) ?? kindOfPath(file.name);
  if (byPath === 'ignored') return;
  const { head, content } = await peek(asUtf8(file.content));
  if (head.length === 0) return;
  const kind = withOrigin(byPath ?? kindOfContent(plainLines(head)), origin);
  if (!kind) {
    sink.onUnread({ path: file.name, reason: 'not text' });
    return;
  }
  sink.onFile(file.path, kind);
  await readKind({ ...file, content }, kind, sink, lines);
}

async function readKind<P extends LinePattern>(
  file: SourceFile,
  kind: FileKind,
  sink: EvidenceSink<P>,
  lines: LineReader,
): Promise<void> {
  if (kind.format === 'record') await readRecord(file, kind, sink, lines);
  else if (kind.format === 'objects-json') await readObjects(file, 'json', sink, lines);
  else if (kind.format === 'objects-yaml') await readObjects(file, 'yaml', sink, lines);
  else await lines.read(file, kind);
}

/** An origin that was given wins over every guess. */
export function withOrigin(
  kind: FileKind | undefined,
  origin: string | undefined,
): FileKind | undefined {
  if (!kind?.guessed || origin === undefined) return kind;
  return { ...kind, origins: [origin], guessed: undefined };
}

async function readRecord<P extends LinePattern>(
  file: SourceFile,
  kind: FileKind,
  sink: EvidenceSink<P>,
  lines: LineReader,
): Promise<void> {
  const service = kind.service ?? 'unknown';
  try {
    const entries = parseServiceRecord(file.name, await wholeText(file));
    sink.onRecord(service, entries, { file: file.name, line: 1 });
    for (const entry of entries.slice(endOfFailures(entries))) {
      // It is a copy of the journal's last lines, so the rules for the journal fit as well.
      const origins = [...kind.origins, `journal:bootstrap/${service}`];
      const text = (entry.errorMessage ?? '').split('\n');
      lines.offer(text, { file: file.name, line: 1, origins, at: new Date(entry.timestamp) });
    }
  } catch (error) {
    sink.onUnread({ path: file.name, reason: messageOf(error) });
  }
}

/** What failed before the service succeeded is over. */
const endOfFailures = (entries: readonly ServiceRecordEntry[]): number =>
  1 + entries.findLastIndex(({ phase, result }) => phase === 'service end' && result === 'success');

async function wholeText(file: SourceFile): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of file.content) {
    size += part.length;
    if (size > MAX_RECORD_BYTES) throw new Error('too large for a service record');
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

/** Counts what is read and tells now and then. */
function createMeter(ctx: Context) {
  let files = 0;
  let bytes = 0;
  let told = 0;
  async function* count(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of chunks) {
      ctx.signal.throwIfAborted();
      bytes += chunk.length;
      if (bytes - told > PROGRESS_BYTES) {
        told = bytes;
        ctx.emit({ type: 'task.progressed', task: TASK, doneBytes: bytes, doneItems: files });
      }
      yield chunk;
    }
  }
  return {
    count,
    fileDone: () => {
      files += 1;
    },
    totals: (): EvidenceTotals => ({ files, bytes }),
  };
}
