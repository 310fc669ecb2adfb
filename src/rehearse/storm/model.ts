import { formatBytes } from '../../core/format.ts';
import type { Digest } from '../../oci/digest.ts';
import type { PlannedPulls, PullPhase, StormRole } from './shares.ts';
import { LAYERS_AT_ONCE } from './virtual-node.ts';

export interface Hardware {
  /** Of the mirror; each node is taken to have the same. */
  readonly nicBitsPerSecond: number;
  readonly diskBytesPerSecond: number;
  /** Wait for the start of an answer, as measured. */
  readonly firstByteMs: number;
}

export type Bound = 'network of the mirror' | 'disk of the mirror' | 'waiting for answers';

export interface ModelPhase {
  readonly role: StormRole;
  readonly nodes: number;
  readonly bytes: number;
  readonly seconds: number;
  readonly bound: Bound;
}

/** What pulling would take with so many nodes, by arithmetic. */
export interface Model {
  readonly nodes: number;
  readonly bytes: number;
  /** Distinct bytes: what the mirror reads from disk, and should hold in memory. */
  readonly distinctBytes: number;
  readonly seconds: number;
  readonly phases: readonly ModelPhase[];
}

/** The time an install of this plan spends pulling on such hardware. Same input, same answer. */
export function modelInstall(plan: readonly PullPhase[], hardware: Hardware): Model {
  const read = new Set<Digest>();
  const phases = plan.map((phase) => modelPhase(phase, hardware, read));
  const distinct = new Map(plan.flatMap(({ nodes }) => nodes.flatMap(blobsOf)));
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
  return {
    nodes: plan.reduce((count, { nodes }) => count + nodes.length, 0),
    bytes: sum(phases.map(({ bytes }) => bytes)),
    distinctBytes: sum([...distinct.values()]),
    seconds: rounded(sum(phases.map(({ seconds }) => seconds))),
    phases,
  };
}

/** Digest and size of everything one node pulls, each once. */
function blobsOf({ images }: PlannedPulls): [Digest, number][] {
  const blobs = images.flatMap((check) => check.blobs.map(({ digest, size }) => [digest, size]));
  return [...new Map(blobs as [Digest, number][])];
}

function modelPhase(
  { role, nodes }: PullPhase,
  { nicBitsPerSecond, diskBytesPerSecond, firstByteMs }: Hardware,
  read: Set<Digest>,
): ModelPhase {
  const pulls = nodes.map(blobsOf);
  const bytes = pulls.flat().reduce((sum, [, size]) => sum + size, 0);
  const fresh = [...new Map(pulls.flat())].filter(([digest]) => !read.has(digest));
  for (const [digest] of fresh) read.add(digest);
  const freshBytes = fresh.reduce((sum, [, size]) => sum + size, 0);
  const requests = Math.max(0, ...pulls.map((blobs) => blobs.length / LAYERS_AT_ONCE));
  const manifests = Math.max(0, ...nodes.map(({ images }) => images.length));
  const times: [Bound, number][] = [
    ['network of the mirror', (bytes * 8) / nicBitsPerSecond],
    ['disk of the mirror', freshBytes / diskBytesPerSecond],
    ['waiting for answers', ((requests + manifests) * firstByteMs) / 1000],
  ];
  const [bound, seconds] = times.toSorted(([, a], [, b]) => b - a)[0] as [Bound, number];
  return { role, nodes: nodes.length, bytes, seconds: rounded(seconds), bound };
}

const rounded = (seconds: number) => Math.round(seconds * 1000) / 1000;

/** What the model takes for granted, to be printed with it. */
export function assumptionsOf(hardware: Hardware, largest: Model): string[] {
  return [
    'First the bootstrap machine pulls, then the control plane at once, then all workers at once; phases do not overlap.',
    `The mirror sends ${formatBits(hardware.nicBitsPerSecond)}, shared evenly; a node takes as much, and nothing between them is slower.`,
    `The mirror reads ${formatBytes(hardware.diskBytesPerSecond)}/s and each blob once: ${formatBytes(largest.distinctBytes)} stay in its memory after that.`,
    `A node pulls its images one by one, ${LAYERS_AT_ONCE} layers at a time, and waits ${hardware.firstByteMs} ms for each answer, as measured here.`,
    'The CPU of the mirror keeps up with TLS; unpacking on the nodes, retries and reboots are not counted.',
  ];
}

function formatBits(bits: number): string {
  const units = ['bit/s', 'kbit/s', 'Mbit/s', 'Gbit/s', 'Tbit/s'];
  const power = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log10(bits) / 3)));
  return `${Number((bits / 1000 ** power).toFixed(1))} ${units[power]}`;
}

const BITS = /^(?<number>\d+(?:\.\d+)?)\s*(?<unit>[KMGT]?)(?:bit)?(?:\/s|ps)?$/i;

/** Reads `10G`, `25Gbit/s`, `1000M`; network speeds are decimal. Undefined when it is none. */
export function parseBits(text: string): number | undefined {
  const parts = BITS.exec(text.trim())?.groups;
  if (!parts || Number(parts.number) === 0) return undefined;
  const power = parts.unit ? 'KMGT'.indexOf(parts.unit.toUpperCase()) + 1 : 0;
  return Number(parts.number) * 1000 ** power;
}
