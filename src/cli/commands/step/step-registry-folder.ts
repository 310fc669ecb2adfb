import { resolve } from 'node:path';
import type { Context } from '../../../core/context.ts';
import { AtollError } from '../../../core/errors.ts';
import type { RegistryProblem } from '../../../workflow/registry/definition.ts';
import { readStepsFor, type StepRegistry } from '../../../workflow/registry/read-registry.ts';
import { shippedRegistry } from '../../../workflow/registry/shipped.ts';
import type { OptionSpec } from '../../command.ts';
import { text, texts } from '../../flags.ts';

/** Flags shared by all commands that read a step registry. */
export const STEP_OPTIONS = {
  registry: text('DIR', 'Step-registry folder (default: the steps that ship with atoll)'),
  env: texts(
    'NAME=VALUE',
    'Set a variable of the steps; wins over chains and workflows. May be repeated',
  ),
} as const satisfies Readonly<Record<string, OptionSpec>>;

/** What a name leads to, in the registry that was named or in our own. */
export async function openStepRegistry(
  ctx: Context,
  folder: string | undefined,
  name: string,
): Promise<StepRegistry> {
  if (folder === undefined) return shippedRegistry();
  const registry = await readStepsFor(ctx, resolve(folder), name);
  tellProblems(ctx, registry.problems);
  return registry;
}

export function tellProblems(ctx: Context, problems: readonly RegistryProblem[]): void {
  for (const { file, line, message, severity } of problems) {
    const subject = line === undefined ? file : `${file}:${line}`;
    const told = severity === 'error' ? `Left out: ${message}` : message;
    ctx.emit({ type: 'warning.raised', subject, message: `${subject}: ${told}` });
  }
}

/** Reads `NAME=VALUE` pairs. */
export function parsePairs(flag: string, pairs: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const equals = pair.indexOf('=');
      if (equals < 1) {
        throw new AtollError('USAGE', `Cannot read ${flag} "${pair}": there is no "="`, {
          hint: `Write it as ${flag} NAME=VALUE`,
        });
      }
      return [pair.slice(0, equals), pair.slice(equals + 1)];
    }),
  );
}
