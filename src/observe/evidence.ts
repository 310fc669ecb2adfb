import type { FileKind } from './file-kind.ts';
import type { ApiObject } from './formats/objects.ts';
import type { ServiceRecordEntry } from './formats/service-record.ts';
import type { UnreadEvidence } from './source-files.ts';

/** Where something was found. */
export interface EvidencePlace {
  readonly file: string;
  readonly line: number;
}

/** A line worth a look, with what is known of where and when it was written. */
export interface EvidenceLine extends EvidencePlace {
  readonly text: string;
  readonly origins: readonly string[];
  readonly at?: Date | undefined;
  readonly host?: string | undefined;
  /** The line before, where this one goes on with it. */
  readonly lead?: string | undefined;
}

/** The end of a file, whatever it says. */
export interface EndLine {
  readonly file: string;
  readonly text: string;
  readonly at?: Date | undefined;
  /** The last lines as they stand there, this one included. */
  readonly tail: readonly string[];
  /** The same lines taken apart, whatever they say; none of a file that is longer than what is kept of its end. */
  lines(): readonly EvidenceLine[];
}

/** Something to look for in lines of certain origins. */
export interface LinePattern {
  readonly pattern: string;
  readonly where: readonly string[];
  appliesTo(origin: string): boolean;
}

/**
 * The consumer of evidence: all that is found is pushed here, in the order of the files. Patterns come back as
 * they were given, so that a consumer can tell by them on whose behalf it asked.
 */
export interface EvidenceSink<P extends LinePattern = LinePattern> {
  readonly patterns: readonly P[];
  /** Kinds of API objects to be parsed whatever they say. */
  readonly kinds: ReadonlySet<string>;
  /** Asked with a line of a file as it stands there, before it is taken apart: false saves that. */
  isWorth?(raw: string): boolean;
  /** `candidates` are patterns that may match: their fixed text is there, the origin fits. */
  onLine(line: EvidenceLine, candidates: readonly P[]): void;
  onRecord(service: string, entries: readonly ServiceRecordEntry[], place: EvidencePlace): void;
  onObject(object: ApiObject, place: EvidencePlace): void;
  onUnread(unread: UnreadEvidence): void;
  /** A file that is about to be read, and what it was taken for. */
  onFile(path: string, kind: FileKind): void;
  /** The last line of a file of lines. */
  onEnd?(line: EndLine): void;
  /** The last time a file of lines speaks of, whatever its last line says, and the first. */
  onTime(at: Date, first: Date): void;
}
