import { Document, parseAllDocuments, visit } from 'yaml';
import { AtollError } from '../core/errors.ts';

/** What some readers take for the end of a line, for nothing, or for no YAML at all. */
const UNSEEN = /[\u007f-\u009f\u2028\u2029\ufeff]/g;
/** `oc` and the installer refuse a block that starts with a tab. */
const TAB_FIRST = /^\n*\t/;

/**
 * One or more YAML documents. Keys keep the order of the objects; strings that YAML 1.1 readers
 * (`oc` is one) would take for something else are quoted; long lines are never folded.
 */
export function toYaml(...documents: readonly unknown[]): string {
  return documents.map(formatOne).join('---\n');
}

function formatOne(value: unknown): string {
  const document = new Document(value, { compat: 'yaml-1.1', aliasDuplicateObjects: false });
  visit(document, {
    Scalar(_key, node) {
      const text = typeof node.value === 'string' ? node.value : '';
      if (text.search(UNSEEN) >= 0 || TAB_FIRST.test(text)) node.type = 'QUOTE_DOUBLE';
    },
  });
  // A folded block would join lines that a certificate needs apart.
  const text = document.toString({ lineWidth: 0, blockQuote: 'literal' });
  return text.replaceAll(UNSEEN, (char) => `\\u${hex(char)}`);
}

const hex = (char: string): string => char.charCodeAt(0).toString(16).padStart(4, '0');

/** Every document of a YAML or JSON text; `subject` names it in errors. Empty documents are left out. */
export function readYaml(text: string, subject: string): unknown[] {
  return parseAllDocuments(text).flatMap((document) => {
    const problem = document.errors[0];
    if (problem) {
      const at = problem.linePos?.[0];
      const where = at ? ` line ${at.line}, column ${at.col}` : '';
      throw new AtollError(
        'INPUT_INVALID',
        `Cannot read ${subject}:${where} ${problem.code.toLowerCase().replaceAll('_', ' ')}`,
        { hint: 'Correct the YAML at that place', cause: problem },
      );
    }
    const value: unknown = document.toJS();
    return value === null || value === undefined ? [] : [value];
  });
}
