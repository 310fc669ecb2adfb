import type { FileKind, Format } from './file-kind.ts';
import { isLogrus, isOcMirror, isSaidByInstaller } from './formats/installer-log.ts';
import { isJournalExport } from './formats/journal-export.ts';
import { isJournalFields } from './formats/journal-fields.ts';
import { isJournalJson } from './formats/journal-json.ts';
import { isJournalList } from './formats/journal-list.ts';
import { isJournalText } from './formats/journal-text.ts';
import { isOwnEvent } from './formats/own-journal.ts';

/** What the first bytes say about a file whose name says nothing. Undefined: no text at all. */
export function kindOfContent(head: Buffer): FileKind | undefined {
  if (head.subarray(0, 2048).includes(0) && !isJournalExport(head.toString('latin1'))) {
    return undefined;
  }
  const text = head.toString('utf8');
  const lines = text
    .split('\n')
    .slice(0, 200)
    .filter((line) => line.trim() !== '');
  const [first = ''] = lines;
  if (isJournalExport(text)) return { format: 'journal-export', origins: [] };
  if (isJournalList(text)) return { format: 'journal-list', origins: [] };
  if (isJournalFields(text)) return { format: 'journal-fields', origins: [], guessed: true };
  if (isJournalJson(first)) return { format: 'journal-json', origins: [] };
  if (isOwnEvent(first)) return { format: 'own-events', origins: ['cli:atoll'] };
  if (/^\s*[{[]/.test(first) && !isJournalText(first)) return kindOfJson(text);
  if (
    /^(?:---\s*(?:#|$)|apiVersion:|kind:|items:)/.test(first) &&
    !lines.some((line) => PROSE.test(line))
  )
    return { format: 'objects-yaml', origins: [] };
  if (lines.some(isSaidByInstaller)) return guessed('logrus', ['installer-log']);
  // podman, skopeo, CRI-O and others log in the same form.
  if (lines.some(isLogrus)) return guessed('logrus', []);
  if (lines.some(isOcMirror)) return guessed('oc-mirror', ['cli:oc-mirror']);
  if (lines.some(isJournalText)) return guessed('journal', []);
  return guessed('plain', []);
}

/** Words that stand at the edge without a key: people paste an object, and below it what came of it. */
const PROSE = /^(?!---|#|[\w."'/-]+\s*:(?:\s|$))[^\s-]\S* \S+ \S/;

const guessed = (format: Format, origins: readonly string[]): FileKind => ({
  format,
  origins,
  guessed: true,
});

function kindOfJson(text: string): FileKind {
  if (/"phase"\s*:\s*"(?:service|stage|pre-command|post-command) (?:start|end)"/.test(text)) {
    return { format: 'record', origins: ['record:unknown'], service: 'unknown' };
  }
  if (/"(?:apiVersion|StackEvents|items)"\s*:/.test(text))
    return { format: 'objects-json', origins: [] };
  return guessed('plain', []);
}
