import semver from 'semver';
import type { GraphEdge, Risk, UpdateGraph } from './schema.ts';

/** One update on the way, with what speaks against it. */
export interface UpdateStep {
  readonly from: string;
  readonly to: string;
  /** Empty when the update is recommended to everybody. */
  readonly risks: readonly Risk[];
}

/** A step over a conditional edge costs more than any way without one. */
const CONDITIONAL_COST = 100_000;

interface Reached {
  readonly cost: number;
  readonly via: GraphEdge | undefined;
}

/**
 * The way from one version to another with the fewest updates that have risks and, among those, the
 * fewest updates; big jumps first. Undefined when there is no way. No steps when both are the same.
 */
export function shortestPath(
  graph: UpdateGraph,
  from: string,
  to: string,
): readonly UpdateStep[] | undefined {
  const outgoing = edgesByStart(graph);
  const reached = new Map<string, Reached>([[from, { cost: 0, via: undefined }]]);
  const open = new Set([from]);
  const done = new Set<string>();
  for (let at = cheapest(open, reached); at !== undefined; at = cheapest(open, reached)) {
    if (at === to) return stepsTo(to, reached);
    open.delete(at);
    done.add(at);
    for (const edge of outgoing.get(at) ?? []) {
      if (!done.has(edge.to) && isBetter(edge, reached)) open.add(edge.to);
    }
  }
  return undefined;
}

/** Whether this edge is the best way so far to where it leads; if so it is noted. */
function isBetter(edge: GraphEdge, reached: Map<string, Reached>): boolean {
  const before = reached.get(edge.from)?.cost ?? 0;
  const cost = before + (edge.risks.length > 0 ? CONDITIONAL_COST : 1);
  if (cost >= (reached.get(edge.to)?.cost ?? Number.POSITIVE_INFINITY)) return false;
  reached.set(edge.to, { cost, via: edge });
  return true;
}

function cheapest(
  open: ReadonlySet<string>,
  reached: ReadonlyMap<string, Reached>,
): string | undefined {
  let best: string | undefined;
  let bestCost = Number.POSITIVE_INFINITY;
  for (const version of open) {
    const cost = reached.get(version)?.cost ?? bestCost;
    const better = cost < bestCost || (cost === bestCost && best && isNewer(version, best));
    if (better) [best, bestCost] = [version, cost];
  }
  return best;
}

function stepsTo(to: string, reached: ReadonlyMap<string, Reached>): readonly UpdateStep[] {
  const steps: UpdateStep[] = [];
  for (let via = reached.get(to)?.via; via; via = reached.get(via.from)?.via) {
    steps.unshift({ from: via.from, to: via.to, risks: via.risks });
  }
  return steps;
}

function edgesByStart({ edges }: UpdateGraph): Map<string, GraphEdge[]> {
  const byStart = new Map<string, GraphEdge[]>();
  for (const edge of edges) {
    const list = byStart.get(edge.from);
    if (list) list.push(edge);
    else byStart.set(edge.from, [edge]);
  }
  return byStart;
}

function isNewer(a: string, b: string): boolean {
  return compareVersions(a, b) > 0;
}

/** Semver order; what is no version sorts first, by its text. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [semver.parse(a), semver.parse(b)];
  if (left && right) return semver.compareBuild(left, right);
  if (left || right) return left ? 1 : -1;
  return a < b ? -1 : Number(a > b);
}

/** Several graphs as one: what can be reached by changing channels on the way. */
export function mergeGraphs(graphs: readonly UpdateGraph[]): UpdateGraph {
  const nodes = new Map(
    graphs.flatMap((graph) => graph.nodes.map((node) => [node.version, node] as const)),
  );
  return { nodes: [...nodes.values()], edges: graphs.flatMap((graph) => graph.edges) };
}
