import type { FileKind } from './file-kind.ts';
import { isLogrus, isOcMirror } from './formats/installer-log.ts';
import { isJournalExport } from './formats/journal-export.ts';
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
    .slice(0, 50)
    .filter((line) => line.trim() !== '');
  const [first = ''] = lines;
  if (isJournalExport(text)) return { format: 'journal-export', origins: [] };
  if (/^\{.*"__REALTIME_TIMESTAMP"/.test(first)) return { format: 'journal-json', origins: [] };
  if (isOwnEvent(first)) return { format: 'own-events', origins: ['cli:atoll'] };
  if (/^\s*[{[]/.test(first)) return kindOfJson(text);
  if (/^(?:---|apiVersion:|kind:|items:)/.test(first)) {
    return { format: 'objects-yaml', origins: [] };
  }
  // podman, skopeo and others log in the same form.
  if (lines.some(isLogrus)) return { format: 'logrus', origins: ['installer-log', 'cli:unknown'] };
  if (lines.some(isOcMirror)) return { format: 'oc-mirror', origins: ['cli:oc-mirror'] };
  if (lines.some(isJournalText)) return { format: 'journal', origins: [] };
  return { format: 'plain', origins: ['cli:unknown'] };
}

function kindOfJson(text: string): FileKind {
  if (/"phase"\s*:\s*"(?:service|stage|pre-command|post-command) (?:start|end)"/.test(text)) {
    return { format: 'record', origins: ['record:unknown'], service: 'unknown' };
  }
  if (/"(?:apiVersion|StackEvents|items)"\s*:/.test(text))
    return { format: 'objects-json', origins: [] };
  return { format: 'plain', origins: ['cli:unknown'] };
}
