import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { readCommands } from './read-registry.ts';
import type { ResolvedStep } from './resolve.ts';
import { scriptNeeds } from './script-needs.ts';
import type { ShellSurroundings } from './shell-step.ts';

/** What a step will miss here. */
export interface MissingNeeds {
  readonly step: string;
  readonly variables: readonly string[];
  readonly programs: readonly string[];
}

/** Given to every step. */
const GIVEN = new Set([
  'SHARED_DIR',
  'ARTIFACT_DIR',
  'CLUSTER_PROFILE_DIR',
  'KUBECONFIG',
  'KUBECONFIGMINIMAL',
  'KUBEADMIN_PASSWORD_FILE',
  'HOME',
  'PATH',
]);

/** Of the steps, those that will miss a variable or a program; told before the first of them starts. */
export async function missingNeeds(
  steps: readonly ResolvedStep[],
  { env, clusterProfileDir }: Pick<ShellSurroundings, 'env' | 'clusterProfileDir'>,
): Promise<readonly MissingNeeds[]> {
  const found = await Promise.all(
    steps.map(async (resolved) => {
      const needs = scriptNeeds(await readCommands(resolved));
      const declared = new Set([
        ...resolved.env.map(({ name }) => name),
        ...(resolved.step.leases ?? []).map((lease) => lease.env),
        ...resolved.dependencies.map((dependency) => dependency.env),
      ]);
      const isGiven = (name: string) =>
        name === 'CLUSTER_PROFILE_DIR' ? clusterProfileDir !== undefined : GIVEN.has(name);
      return {
        step: resolved.step.as,
        variables: needs.variables.filter(
          (name) => !declared.has(name) && !isGiven(name) && env[name] === undefined,
        ),
        programs: needs.programs.filter((name) => !isOnPath(name, env.PATH ?? '')),
      };
    }),
  );
  return found.filter(({ variables, programs }) => variables.length + programs.length > 0);
}

function isOnPath(program: string, path: string): boolean {
  return path.split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
