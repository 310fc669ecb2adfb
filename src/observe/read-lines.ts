import type { EvidenceLine, EvidenceSink, Place } from './evidence.ts';
import type { FileKind, Format, Machine } from './file-kind.ts';
import { decodeLogrus, decodeOcMirror, decodePlain } from './formats/installer-log.ts';
import { journalExportAsText } from './formats/journal-export.ts';
import { decodeJournalJson, withTextMessages } from './formats/journal-json.ts';
import { decodeJournalText } from './formats/journal-text.ts';
import type { LineDecoder, LogLine } from './formats/log-line.ts';
import { decodeOwnEvent } from './formats/own-journal.ts';
import {
  createLineScanner,
  type LineHit,
  type LineScanner,
  wholeLines,
} from './scan/line-scanner.ts';
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

/** Units that only a bootstrap machine has. */
const BOOTSTRAP_UNITS =
  /^(?:node-image-\w+|release-image|bootkube|approve-csr|crio-configure|progress|bootstrap-\w+)$/;

export function createLineReader(sink: EvidenceSink): LineReader {
  const chosen = createChooser(sink);
  return {
    async read(file, kind) {
      const { scanner, indices } = chosen.forFile(kind);
      const text = searchable(file, kind.format);
      for await (const hits of scanner.scan(text)) {
        for (const hit of hits) tell(sink, file, kind, hit, indices);
      }
    },
    offer(lines, about) {
      const indices = chosen.forOrigins(about.origins);
      if (indices.length === 0) return;
      for (const text of lines) if (text) sink.onLine({ ...about, text }, indices);
    },
  };
}

/** The content as lines in which text can be found as it is. */
function searchable(file: SourceFile, format: Format): AsyncIterable<Buffer> {
  if (format === 'journal-export') return journalExportAsText(file.content);
  if (format === 'journal-json') return withTextMessages(wholeLines(file.content));
  return file.content;
}

function tell(
  sink: EvidenceSink,
  file: SourceFile,
  kind: FileKind,
  hit: LineHit,
  indices: readonly number[],
): void {
  const line = DECODERS[kind.format](hit.text, file.modified);
  const origins = kind.origins.length > 0 ? kind.origins : [originOf(line, kind.machine)];
  const fits = (index: number) => origins.some((one) => sink.patterns[index]?.appliesTo(one));
  const candidates = [...hit.patterns].map((at) => indices[at] as number).filter(fits);
  if (candidates.length === 0) return;
  const place: Place = { file: file.name, line: hit.line };
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
  /bootstrap/.test(line.host ?? '') || BOOTSTRAP_UNITS.test(line.unit ?? '');

interface Choice {
  readonly scanner: LineScanner;
  /** The pattern of the sink behind each pattern of the scanner. */
  readonly indices: readonly number[];
}

/** Makes one scanner for each set of patterns that files can ask for, not one per file. */
function createChooser(sink: EvidenceSink) {
  const scanners = new Map<string, Choice>();
  const known = new Map<string, readonly number[]>();
  const all = [...sink.patterns.keys()];

  function forOrigins(origins: readonly string[]): readonly number[] {
    const key = origins.join('\n');
    const seen = known.get(key);
    if (seen) return seen;
    const indices = all.filter((index) =>
      origins.some((one) => sink.patterns[index]?.appliesTo(one)),
    );
    if (known.size > 10_000) known.clear();
    known.set(key, indices);
    return indices;
  }

  function forFile(kind: FileKind): Choice {
    const indices = kind.origins.length > 0 ? forOrigins(kind.origins) : journalPatterns();
    const key = indices.join();
    const seen = scanners.get(key);
    if (seen) return seen;
    const patterns = indices.map((index) => sink.patterns[index]?.pattern ?? '');
    const choice = { scanner: createLineScanner(patterns), indices };
    scanners.set(key, choice);
    return choice;
  }

  const journalPatterns = (): readonly number[] =>
    all.filter((index) => sink.patterns[index]?.where.some((one) => /^(?:journal:|\*$)/.test(one)));

  return { forFile, forOrigins };
}
