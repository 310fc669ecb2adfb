import { readdir, readFile } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import type { ZodType } from 'zod';
import type { Context } from '../../core/context.ts';
import { AtollError, messageOf } from '../../core/errors.ts';
import { readTextIfPresent } from '../../core/files.ts';
import { mapBounded } from '../../core/pool.ts';
import { parseYamlInput, problemText } from '../../core/yaml-input.ts';
import {
  type Chain,
  chainFile,
  type LiteralStep,
  type Observer,
  observerFile,
  type RegistryWorkflow,
  refFile,
  workflowFile,
} from './schema.ts';

/** A step with where it came from: its commands are a file beside it. */
export interface RegisteredStep {
  readonly step: LiteralStep;
  readonly file: string;
}

/** A step registry in memory. Commands are read only when a step runs. */
export interface StepRegistry {
  readonly refs: ReadonlyMap<string, RegisteredStep>;
  readonly chains: ReadonlyMap<string, Chain>;
  readonly workflows: ReadonlyMap<string, RegistryWorkflow>;
  readonly observers: ReadonlyMap<string, Observer>;
  readonly problems: readonly RegistryProblem[];
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
const READS_AT_ONCE = 32;

type Kind = 'ref' | 'chain' | 'workflow' | 'observer';

const SCHEMAS: Readonly<Record<Kind, ZodType>> = {
  ref: refFile,
  chain: chainFile,
  workflow: workflowFile,
  observer: observerFile,
};

/** One file of a registry: where it is, and what it says. */
export interface DefinitionFile {
  readonly file: string;
  readonly text: string;
}

/** Reads every definition below a folder. Problems are collected, not thrown. */
export async function readStepRegistry(ctx: Context, root: string): Promise<StepRegistry> {
  const names = await definitionsBelow(root);
  const files = await mapBounded(ctx, READS_AT_ONCE, names, async (name) => ({
    file: name,
    text: await readFile(join(root, name), 'utf8'),
  }));
  return parseStepRegistry(files, root);
}

/** The same for definitions that are in memory: the ones that ship inside the program. */
export function parseStepRegistry(files: readonly DefinitionFile[], root = ''): StepRegistry {
  const maps = {
    ref: new Map<string, RegisteredStep>(),
    chain: new Map<string, Chain>(),
    workflow: new Map<string, RegistryWorkflow>(),
    observer: new Map<string, Observer>(),
  };
  const problems: RegistryProblem[] = [];
  const taken = new Map<string, string>();
  for (const { file, text } of files) {
    const kind = DEFINITION.exec(file)?.groups?.kind as Kind;
    const read = parseDefinition(kind, file, text);
    problems.push(...read.problems);
    if (read.name === undefined) continue;
    const first = taken.get(`${kind} ${read.name}`);
    if (first !== undefined) {
      const message = `"${read.name}" is defined already, in ${first}`;
      problems.push({ file, line: undefined, severity: 'error', message });
      continue;
    }
    taken.set(`${kind} ${read.name}`, file);
    const map = maps[kind] as Map<string, unknown>;
    map.set(read.name, kind === 'ref' ? { step: read.value, file: join(root, file) } : read.value);
  }
  return {
    refs: maps.ref,
    chains: maps.chain,
    workflows: maps.workflow,
    observers: maps.observer,
    problems,
  };
}

/** Both, where a name of the second wins: how a site replaces a shipped step by its own. */
export function overlayRegistry(base: StepRegistry, over: StepRegistry): StepRegistry {
  return {
    refs: new Map([...base.refs, ...over.refs]),
    chains: new Map([...base.chains, ...over.chains]),
    workflows: new Map([...base.workflows, ...over.workflows]),
    observers: new Map([...base.observers, ...over.observers]),
    problems: [...base.problems, ...over.problems],
  };
}

async function definitionsBelow(root: string): Promise<string[]> {
  try {
    const entries = await readdir(root, { recursive: true, withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile() && DEFINITION.test(entry.name))
      .map((entry) => relative(root, join(entry.parentPath, entry.name)))
      .toSorted();
  } catch (cause) {
    throw new AtollError(
      'FILE_UNREADABLE',
      `Cannot read the step registry "${root}": ${messageOf(cause)}`,
      {
        hint: 'Give a folder like openshift/release/ci-operator/step-registry',
        cause,
      },
    );
  }
}

interface ParsedDefinition {
  readonly name: string | undefined;
  readonly value: unknown;
  readonly problems: readonly RegistryProblem[];
}

function parseDefinition(kind: Kind, file: string, source: string): ParsedDefinition {
  const refused = (problems: readonly RegistryProblem[]): ParsedDefinition => ({
    name: undefined,
    value: undefined,
    problems,
  });
  const parsed = parseYamlInput(SCHEMAS[kind], source, { dialect: 'yaml-1.1' });
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
  const value = (parsed.value as Record<Kind, { as?: string; name?: string }>)[kind];
  const name = value.as ?? value.name ?? '';
  const expected = basename(file).replace(DEFINITION, '');
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
  return { name, value, problems };
}

/** Fields beside `ref` or `chain`, which look as if they did something. */
function ignoredFields(kind: Kind, value: object): string[] {
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

/** What the CI calls the file, or anything with an ending: no word that is a command by itself. */
const FILE_NAME = /-commands$|\.\w+$/;

/** The script of a step: the text of its commands file, or the commands themselves when inline. */
export async function readCommands({ step, file }: RegisteredStep): Promise<string> {
  const commands = step.commands ?? '';
  if (file === '' || !/^[\w.-]+$/.test(commands)) return commands;
  const path = join(dirname(file), commands);
  try {
    const text = await readTextIfPresent(path);
    if (text === undefined && FILE_NAME.test(commands)) throw new Error('there is no such file');
    return text ?? commands;
  } catch (cause) {
    throw new AtollError(
      'FILE_UNREADABLE',
      `Cannot read the commands of step "${step.as}" from "${path}"`,
      { hint: `Put the script there, or name another in "${file}"`, cause },
    );
  }
}
