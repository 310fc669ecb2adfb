import { basename } from 'node:path';
import type { ZodType } from 'zod';
import { parseYamlInput, problemText } from '../../core/yaml-input.ts';
import { chainFile, observerFile, refFile, workflowFile } from './schema.ts';

export type DefinitionKind = 'ref' | 'chain' | 'workflow' | 'observer';

/** One file of a registry: where it is, and what it says. */
export interface DefinitionFile {
  readonly file: string;
  readonly text: string;
}

/** A file that is not what it should be. The rest of the registry stays usable. */
export interface RegistryProblem {
  readonly file: string;
  readonly line: number | undefined;
  readonly message: string;
  /** An error keeps the definition out; a warning only says what has no effect. */
  readonly severity: 'error' | 'warning';
}

const DEFINITION = /-(?<kind>ref|chain|workflow|observer)\.yaml$/;

const SCHEMAS: Readonly<Record<DefinitionKind, ZodType>> = {
  ref: refFile,
  chain: chainFile,
  workflow: workflowFile,
  observer: observerFile,
};

/** What a path says of its definition; undefined for files that are none. */
export function definitionAt(
  path: string,
): { readonly kind: DefinitionKind; readonly name: string } | undefined {
  const kind = DEFINITION.exec(path)?.groups?.kind as DefinitionKind | undefined;
  return kind && { kind, name: basename(path).replace(DEFINITION, '') };
}

export interface ParsedDefinition {
  readonly file: string;
  readonly kind: DefinitionKind;
  /** Undefined where the file is not what it should be. */
  readonly name: string | undefined;
  readonly value: unknown;
  readonly problems: readonly RegistryProblem[];
}

export function parseDefinition({ file, text }: DefinitionFile): ParsedDefinition {
  const { kind, name: expected } = definitionAt(file) ?? { kind: 'ref', name: '' };
  const refused = (problems: readonly RegistryProblem[]): ParsedDefinition => ({
    file,
    kind,
    name: undefined,
    value: undefined,
    problems,
  });
  const parsed = parseYamlInput(SCHEMAS[kind], text, { dialect: 'yaml-1.1' });
  if (parsed.value === undefined) {
    return refused(
      parsed.problems.map((problem) => ({
        file,
        line: problem.line,
        severity: 'error',
        message: problemText(problem),
      })),
    );
  }
  const value = (parsed.value as Record<DefinitionKind, { as?: string; name?: string }>)[kind];
  const name = value.as ?? value.name ?? '';
  if (name !== expected) {
    const message = `its name is "${name}", but the file says "${expected}"`;
    return refused([{ file, line: 1, severity: 'error', message }]);
  }
  const problems: RegistryProblem[] = ignoredFields(kind, value).map((message) => ({
    file,
    line: undefined,
    severity: 'warning',
    message,
  }));
  return { file, kind, name, value, problems };
}

/** Fields beside `ref` or `chain`, which look as if they did something. */
function ignoredFields(kind: DefinitionKind, value: object): string[] {
  const { steps } = value as { steps?: unknown };
  const lists =
    kind === 'chain' ? [steps] : kind === 'workflow' ? Object.values((steps ?? {}) as object) : [];
  return lists
    .filter((list): list is Record<string, unknown>[] => Array.isArray(list))
    .flat()
    .flatMap((entry) => {
      const target = entry.ref ?? entry.chain;
      const ignored = Object.keys(entry).filter((key) => key !== 'ref' && key !== 'chain');
      return target === undefined || ignored.length === 0
        ? []
        : [`${ignored.join(', ')} beside "${target}" has no effect`];
    });
}
