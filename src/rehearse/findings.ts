import { byText } from '../core/order.ts';
import type { Fault, Hole } from './check/hole.ts';

/** One cause and everything it costs. */
export interface RehearsalFinding {
  readonly cause: Hole['cause'];
  readonly severity: Hole['severity'];
  readonly fault: Fault;
  readonly title: string;
  /** The part of the configuration that should have caught it. */
  readonly rule: string;
  /** Command lines that close it. */
  readonly commands: readonly string[];
  readonly evidence: readonly string[];
  readonly images: readonly AffectedImage[];
}

export interface AffectedImage {
  readonly name: string;
  readonly reason: string;
}

/** From here on one command for all images is better than one for each. */
const MANY_IMAGES = 4;
const MAX_EVIDENCE = 5;

/** Holes with the same cause and key are one finding; holes before warnings, many images first. */
export function findingsOf(holes: readonly Hole[]): RehearsalFinding[] {
  const groups = new Map<string, Hole[]>();
  for (const hole of holes) {
    const key = `${hole.severity} ${hole.cause} ${hole.key}`;
    const group = groups.get(key);
    if (group) group.push(hole);
    else groups.set(key, [hole]);
  }
  return [...groups.values()].map(findingOf).toSorted(compare);
}

function findingOf(holes: readonly Hole[]): RehearsalFinding {
  const [first] = holes as [Hole, ...Hole[]];
  const byName = new Map(holes.flatMap(({ image }) => (image ? [[image.name, image]] : [])));
  const images = [...byName.values()].map(({ name, reason }) => ({ name, reason }));
  return {
    cause: first.cause,
    severity: first.severity,
    fault: first.fault,
    title: first.title,
    rule: [...new Set(holes.map(({ rule }) => rule))].join('; '),
    commands: commandsOf(holes, images.length),
    evidence: [...new Set(holes.map(({ evidence }) => evidence))].slice(0, MAX_EVIDENCE),
    images,
  };
}

function commandsOf(holes: readonly Hole[], images: number): string[] {
  const bulk = [...new Set(holes.flatMap(({ bulkCommand }) => bulkCommand ?? []))];
  const each = [...new Set(holes.flatMap(({ commands }) => commands))];
  return bulk.length > 0 && (images >= MANY_IMAGES || each.length === 0) ? bulk : each;
}

function compare(a: RehearsalFinding, b: RehearsalFinding): number {
  if (a.severity !== b.severity) return a.severity === 'hole' ? -1 : 1;
  return b.images.length - a.images.length || byText(a.title, b.title);
}
