import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import type { Context } from '../../core/context.ts';
import { AtollError, messageOf } from '../../core/errors.ts';
import { readTextIfPresent } from '../../core/files.ts';
import { mapBounded } from '../../core/pool.ts';
import {
  type DefinitionFile,
  definitionAt,
  type ParsedDefinition,
  parseDefinition,
  type RegistryProblem,
} from './definition.ts';
import type { Chain, LiteralStep, Observer, RegistryWorkflow } from './schema.ts';

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
  /** Every name there is, also of definitions that were not read. */
  readonly names: readonly string[];
  readonly problems: readonly RegistryProblem[];
}

const READS_AT_ONCE = 32;

/** Reads every definition below a folder. Problems are collected, not thrown. */
export async function readStepRegistry(ctx: Context, root: string): Promise<StepRegistry> {
  const files = await definitionsBelow(root);
  return assemble(await readDefinitions(ctx, root, files), root);
}

/** Reads what a name leads to and nothing else: a public registry has ten thousand definitions. */
export async function readStepsFor(
  ctx: Context,
  root: string,
  name: string,
): Promise<StepRegistry> {
  const files = byName(await definitionsBelow(root));
  const wanted = new Set([name]);
  const parsed: ParsedDefinition[] = [];
  for (let next = [name]; next.length > 0; ) {
    const paths = next.flatMap((each) => files.get(each) ?? []);
    const read = await readDefinitions(ctx, root, paths);
    parsed.push(...read);
    next = [...new Set(read.flatMap(mentionedIn))].filter((each) => !wanted.has(each));
    for (const each of next) wanted.add(each);
  }
  return { ...assemble(parsed, root), names: [...files.keys()] };
}

function byName(files: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const names = new Map<string, string[]>();
  for (const file of files) {
    const name = definitionAt(file)?.name ?? '';
    names.set(name, [...(names.get(name) ?? []), file]);
  }
  return names;
}

/** Names that a definition uses. */
function mentionedIn({ kind, value }: ParsedDefinition): string[] {
  if (value === undefined || kind === 'ref' || kind === 'observer') return [];
  const { pre, test, post, observers, workflow } = (
    kind === 'workflow' ? (value as RegistryWorkflow).steps : {}
  ) as Partial<RegistryWorkflow['steps']>;
  const steps = kind === 'chain' ? (value as Chain).steps : [];
  const entries = [steps, pre, test, post].flatMap((list) => list ?? []);
  return [
    ...entries.flatMap((entry) =>
      'chain' in entry ? (entry.chain ?? []) : 'ref' in entry ? (entry.ref ?? []) : [],
    ),
    ...(observers?.enable ?? []),
    ...(workflow === undefined ? [] : [workflow]),
  ];
}

async function readDefinitions(
  ctx: Context,
  root: string,
  files: readonly string[],
): Promise<readonly ParsedDefinition[]> {
  return await mapBounded(ctx, READS_AT_ONCE, files, async (file) =>
    parseDefinition({ file, text: await readDefinitionText(root, file) }),
  );
}

export const readDefinitionText = (root: string, file: string): Promise<string> =>
  readFile(join(root, file), 'utf8');

/** The same for definitions that are in memory: the ones that ship inside the program. */
export function parseStepRegistry(files: readonly DefinitionFile[]): StepRegistry {
  return assemble(files.map(parseDefinition), '');
}

function assemble(definitions: readonly ParsedDefinition[], root: string): StepRegistry {
  const maps = {
    ref: new Map<string, RegisteredStep>(),
    chain: new Map<string, Chain>(),
    workflow: new Map<string, RegistryWorkflow>(),
    observer: new Map<string, Observer>(),
  };
  const { taken, problems } = withoutRepeats(definitions);
  for (const { kind, name, value, file } of taken) {
    const map = maps[kind] as Map<string, unknown>;
    map.set(name ?? '', kind === 'ref' ? { step: value, file: join(root, file) } : value);
  }
  return {
    refs: maps.ref,
    chains: maps.chain,
    workflows: maps.workflow,
    observers: maps.observer,
    names: taken.map(({ name }) => name ?? ''),
    problems,
  };
}

/** Of definitions of one kind and name the first counts. */
export function withoutRepeats<D extends Omit<ParsedDefinition, 'value'>>(
  definitions: readonly D[],
): { readonly taken: readonly D[]; readonly problems: readonly RegistryProblem[] } {
  const taken = new Map<string, D>();
  const problems: RegistryProblem[] = [];
  for (const definition of definitions) {
    const { kind, name, file } = definition;
    problems.push(...definition.problems);
    if (name === undefined) continue;
    const first = taken.get(`${kind} ${name}`);
    if (first === undefined) {
      taken.set(`${kind} ${name}`, definition);
      continue;
    }
    const message = `"${name}" is defined already, in ${first.file}`;
    problems.push({ file, line: undefined, severity: 'error', message });
  }
  return { taken: [...taken.values()], problems };
}

/** Both, where a name of the second wins: how a site replaces a shipped step by its own. */
export function overlayRegistry(base: StepRegistry, over: StepRegistry): StepRegistry {
  return {
    refs: new Map([...base.refs, ...over.refs]),
    chains: new Map([...base.chains, ...over.chains]),
    workflows: new Map([...base.workflows, ...over.workflows]),
    observers: new Map([...base.observers, ...over.observers]),
    names: [...base.names, ...over.names],
    problems: [...base.problems, ...over.problems],
  };
}

/** Not asynchronous: with ten thousand folders, handing each to another thread takes most of the time. */
export async function definitionsBelow(root: string): Promise<string[]> {
  try {
    const entries = readdirSync(root, { recursive: true, withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile() && definitionAt(entry.name) !== undefined)
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
