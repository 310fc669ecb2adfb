import type { ResolvedPlan, ResolvedStep } from './resolve.ts';

/** A resolved workflow as a tree: chains as branches, steps as leaves, in the order they run. */
export function stepTree(resolved: ResolvedPlan): string {
  const lines = [`${resolved.kind}/${resolved.name}`];
  let phase = '';
  let open: readonly string[] = [];
  for (const step of resolved.steps) {
    const chains = resolved.kind === 'workflow' ? step.path.slice(1) : step.path;
    if (resolved.kind === 'workflow' && step.phase !== phase) {
      phase = step.phase;
      open = [];
      lines.push(`  ${phase}:`);
    }
    const shared = sharedPrefix(open, chains);
    for (const [depth, chain] of chains.entries()) {
      if (depth >= shared) lines.push(`${indent(depth)}${chain}`);
    }
    open = chains;
    lines.push(`${indent(chains.length)}${step.step.as}${marks(step)}`);
  }
  return lines.join('\n');
}

/** The same for Graphviz: one edge per step that follows another. */
export function stepDot(resolved: ResolvedPlan): string {
  const quote = (text: string) => JSON.stringify(text);
  const nodes = resolved.steps.map(
    (step) => `  ${quote(step.step.as)} [group=${quote(step.phase)}];`,
  );
  const edges = resolved.steps
    .slice(1)
    .map(
      (step, index) =>
        `  ${quote(resolved.steps[index]?.step.as ?? '')} -> ${quote(step.step.as)};`,
    );
  return [
    `digraph ${quote(resolved.name)} {`,
    '  rankdir=TB;',
    '  node [shape=box];',
    ...nodes,
    ...edges,
    '}',
  ].join('\n');
}

const indent = (depth: number) => '  '.repeat(depth + 2);

function marks(step: ResolvedStep): string {
  const found = [
    step.step.best_effort ? 'best effort' : undefined,
    step.step.optional_on_success ? 'optional on success' : undefined,
    step.step.timeout ? `timeout ${step.step.timeout}` : undefined,
  ].filter((mark) => mark !== undefined);
  return found.length > 0 ? `  (${found.join(', ')})` : '';
}

function sharedPrefix(a: readonly string[], b: readonly string[]): number {
  let length = 0;
  while (length < a.length && length < b.length && a[length] === b[length]) length += 1;
  return length;
}
