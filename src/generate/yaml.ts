import { parseAllDocuments, stringify } from 'yaml';
import { AtollError } from '../core/errors.ts';

/**
 * One or more YAML documents. Keys keep the order of the objects; strings that YAML 1.1 readers
 * (`oc` is one) would take for something else are quoted; long lines are never folded.
 */
export function toYaml(...documents: readonly unknown[]): string {
  return documents
    .map((document) =>
      stringify(document, {
        lineWidth: 0,
        compat: 'yaml-1.1',
        aliasDuplicateObjects: false,
        // A folded block would join lines that a certificate needs apart.
        blockQuote: 'literal',
      }),
    )
    .join('---\n');
}

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
