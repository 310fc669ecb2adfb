import { BOOTSTRAP_UNITS } from '../openshift/bootstrap/steps.ts';
import type { EvidenceLine, EvidencePlace, EvidenceSink, LinePattern } from './evidence.ts';
import type { FileKind, Format, Machine } from './file-kind.ts';
import { decodeLogrus, decodeOcMirror, decodePlain } from './formats/installer-log.ts';
import { journalExportAsText } from './formats/journal-export.ts';
import { decodeJournalJson, withTextMessages } from './formats/journal-json.ts';
import { decodeJournalText } from './formats/journal-text.ts';
import type { LineDecoder, LogLine } from './formats/log-line.ts';
import { decodeOwnEvent } from './formats/own-journal.ts';
import { createLineScanner, type LineHit, wholeLines } from './scan/line-scanner.ts';
import type { SourceFile } from './source-files.ts';

/** Finds the lines that patterns ask for, in files and in text that is in memory already. */
export interface LineReader {
  read(file: SourceFile, kind: FileKind): Promise<void>;
  /** Lines from elsewhere: of a record, of an API object. */
  offer(lines: readonly string[], about: Omit<EvidenceLine, 'text'>): void;
}

const DECODERS: Readonly<Record<Format, LineDecoder>> = {
  journal: decodeJournalText,
  'journal-json': decodeJournalJson,
  'journal-export': decodeJournalText,
  logrus: decodeLogrus,
  'oc-mirror': decodeOcMirror,
  'own-events': decodeOwnEvent,
  plain: decodePlain,
  record: decodePlain,
  'objects-json': decodePlain,
  'objects-yaml': decodePlain,
};

/** As much of the end of a file as surely holds a line with a time. */
const TAIL_BYTES = 16 * 1024;

export function createLineReader<P extends LinePattern>(sink: EvidenceSink<P>): LineReader {
  const chosen = createChooser(sink.patterns);
  return {
    async read(file, kind) {
      const patterns = chosen.forFile(kind);
      const scanner = createLineScanner(patterns.map(({ pattern }) => pattern));
      const tail = createTail();
      for await (const hits of scanner.scan(tail.watch(searchable(file, kind.format)))) {
        for (const hit of hits) tell(sink, file, kind, hit, patterns);
      }
      const last = lastTimeIn(tail.text(), (line) => DECODERS[kind.format](line, file.modified));
      if (last) sink.onTime(last);
    },
    offer(lines, about) {
      const patterns = chosen.forOrigins(about.origins);
      if (patterns.length === 0) return;
      for (const text of lines) if (text) sink.onLine({ ...about, text }, patterns);
    },
  };
}

/** Keeps the end of what passes. */
function createTail() {
  let kept: Buffer = Buffer.alloc(0);
  return {
    async *watch(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
      for await (const chunk of chunks) {
        const end = chunk.subarray(-TAIL_BYTES);
        kept = Buffer.concat([kept.subarray(end.length - TAIL_BYTES), end]);
        yield chunk;
      }
    },
    text: (): string => kept.toString('utf8'),
  };
}

function lastTimeIn(text: string, decode: (line: string) => LogLine): Date | undefined {
  for (const line of text.split('\n').toReversed()) {
    const at = line === '' ? undefined : decode(line).at;
    if (at) return at;
  }
  return undefined;
}

/** The content as lines in which text can be found as it is. */
function searchable(file: SourceFile, format: Format): AsyncIterable<Buffer> {
  if (format === 'journal-export') return journalExportAsText(file.content);
  if (format === 'journal-json') return withTextMessages(wholeLines(file.content));
  return file.content;
}

function tell<P extends LinePattern>(
  sink: EvidenceSink<P>,
  file: SourceFile,
  kind: FileKind,
  hit: LineHit,
  patterns: readonly P[],
): void {
  const line = DECODERS[kind.format](hit.text, file.modified);
  const origins = kind.origins.length > 0 ? kind.origins : [originOf(line, kind.machine)];
  const candidates = [...hit.patterns]
    .flatMap((at) => patterns[at] ?? [])
    .filter((pattern) => origins.some((one) => pattern.appliesTo(one)));
  if (candidates.length === 0) return;
  const place: EvidencePlace = { file: file.name, line: hit.line };
  sink.onLine({ ...place, text: line.message, origins, at: line.at, host: line.host }, candidates);
}

/** A journal of many units: the line itself says which, and most often on which machine. */
function originOf(line: LogLine, machine: Machine | undefined): string {
  const unit = line.unit ?? 'unknown';
  const guessed = /bastion/.test(line.host ?? '')
    ? 'bastion'
    : isBootstrap(line)
      ? 'bootstrap'
      : 'node';
  return `journal:${machine ?? guessed}/${unit}`;
}

const isBootstrap = (line: LogLine): boolean =>
  /bootstrap/.test(line.host ?? '') ||
  BOOTSTRAP_UNITS.has(line.unit ?? '') ||
  /^(?:node-image|bootstrap)-/.test(line.unit ?? '');

/** Which patterns a file can ask for. */
function createChooser<P extends LinePattern>(all: readonly P[]) {
  const known = new Map<string, readonly P[]>();
  const ofJournals = all.filter(({ where }) => where.some((one) => /^(?:journal:|\*$)/.test(one)));

  function forOrigins(origins: readonly string[]): readonly P[] {
    const key = origins.join('\n');
    const seen = known.get(key);
    if (seen) return seen;
    const patterns = all.filter(({ appliesTo }) => origins.some(appliesTo));
    if (known.size > 10_000) known.clear();
    known.set(key, patterns);
    return patterns;
  }

  return {
    forOrigins,
    /** A journal of many units says line by line where it comes from. */
    forFile: ({ origins }: FileKind) => (origins.length > 0 ? forOrigins(origins) : ofJournals),
  };
}
