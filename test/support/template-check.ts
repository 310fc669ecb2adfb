import type { Template } from '../../src/generate/cloudformation/template.ts';

/** Every value below a node, the node included. */
export function nodesOf(node: unknown): unknown[] {
  if (typeof node !== 'object' || node === null) return [node];
  return [node, ...Object.values(node).flatMap(nodesOf)];
}

/** What a template refers to: `Ref`, `Fn::GetAtt`, holes of `Fn::Sub` and `DependsOn`. */
function referencesOf(template: Template): string[] {
  const { Resources, Outputs } = template;
  return nodesOf([Resources, Outputs]).flatMap((node) => {
    if (typeof node !== 'object' || node === null) return [];
    const { Ref, DependsOn, ...rest } = node as Record<string, unknown>;
    const [getAtt] = (rest['Fn::GetAtt'] ?? []) as string[];
    return [Ref, DependsOn, getAtt, ...holesOf(rest['Fn::Sub'])].filter(
      (name): name is string => typeof name === 'string',
    );
  });
}

function holesOf(sub: unknown): string[] {
  const [text, own = {}] = (Array.isArray(sub) ? sub : [sub]) as [unknown, object?];
  if (typeof text !== 'string') return [];
  return [...text.matchAll(/\$\{([^}.]+)[^}]*\}/g)]
    .map(([, name = '']) => name)
    .filter((name) => !Object.hasOwn(own, name));
}

/** References to nothing, and parameters that nothing refers to. */
export function looseEnds(template: Template): string[] {
  const used = new Set(referencesOf(template).filter((name) => !name.startsWith('AWS::')));
  const parameters = Object.keys(template.Parameters ?? {});
  const known = new Set([...parameters, ...Object.keys(template.Resources)]);
  return [
    ...[...used].filter((name) => !known.has(name)),
    ...parameters.filter((name) => !used.has(name)),
  ];
}

/** The fewest templates (nearly) that hold every resource, parameter and output of all of them. */
export function covering(templates: readonly Template[]): Template[] {
  const seen = new Set<string>();
  const bySize = templates.toSorted((a, b) => partsOf(b).length - partsOf(a).length);
  return bySize.filter((template) => {
    const fresh = partsOf(template).filter((part) => !seen.has(part));
    for (const part of fresh) seen.add(part);
    return fresh.length > 0;
  });
}

function partsOf({ Resources, Parameters = {}, Outputs = {} }: Template): string[] {
  return [Resources, Parameters, Outputs].flatMap((group) =>
    Object.entries(group).map((entry) => JSON.stringify(entry)),
  );
}
