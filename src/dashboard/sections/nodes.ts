import type { ClusterMachine, MachineState } from '../../platform/platform.ts';
import type { AccessEntry } from '../../registry/access/access-log.ts';
import { type ClientPulls, gatherPulls, type Pulls } from '../../registry/access/pulls.ts';
import type { ImageRow, NodeRow } from '../model/page-data.ts';

const RATE_MS = 15_000;

/** Who pulls what, from the mirror's access log: machine by machine, image by image. */
export class NodePulls {
  readonly #machines: readonly ClusterMachine[];
  #pulls: Pulls = gatherPulls();
  #since = '';
  /** Bytes of late, for the rate of each client. */
  #recent: { readonly client: string; readonly atMs: number; readonly bytes: number }[] = [];

  constructor(machines: readonly ClusterMachine[]) {
    this.#machines = machines;
  }

  /** What machines asked since they were switched on; others, and what came before, are not theirs. */
  add(entries: readonly AccessEntry[], since: string): void {
    if (since !== this.#since) {
      this.#since = since;
      this.#pulls = gatherPulls();
    }
    for (const entry of entries) {
      const client = entry.client.replace(/^::ffff:/, '');
      if (entry.at < since || !this.#isMachine({ ...entry, client })) continue;
      this.#pulls.add({ ...entry, client });
      this.#recent.push({ client, atMs: Date.parse(entry.at), bytes: entry.bytesSent });
    }
  }

  /** Where addresses of machines are known nobody else counts; where they are not, only strangers do. */
  #isMachine({ client, agent }: AccessEntry): boolean {
    const known = this.#machines.flatMap(({ addresses }) => addresses ?? []);
    return known.length > 0 ? known.includes(client) : !agent?.startsWith('atoll');
  }

  rows(
    images: readonly ImageRow[],
    states: readonly MachineState[],
    nowMs: number,
  ): readonly NodeRow[] {
    this.#recent = this.#recent.filter(({ atMs }) => nowMs - atMs < RATE_MS);
    const byDigest = new Map(images.map((image) => [image.digest ?? '', image]));
    const seen = this.#pulls.clients().map((client) => this.#row(client, byDigest));
    // A machine that could not even ask is the one to look at.
    const silent = states.filter(({ name }) => !seen.some((row) => row.name === name));
    const order = this.#machines.map(({ name }) => name);
    return [...seen, ...silent.map(({ name }) => this.#silentRow(name))]
      .map((row) => withState(row, states))
      .toSorted((a, b) => rankOf(order, a.name) - rankOf(order, b.name));
  }

  #silentRow(name: string): NodeRow {
    const machine = this.#machines.find((one) => one.name === name);
    const [address = ''] = machine?.addresses ?? [];
    const nothing = { lastAt: '', bytes: 0, bytesPerSecond: 0, pulls: [], refused: [] };
    return { name, address, role: machine?.role ?? '', state: '', ...nothing };
  }

  #row(pulls: ClientPulls, byDigest: ReadonlyMap<string, ImageRow>): NodeRow {
    const { client, lastAt, bytes } = pulls;
    const machine = this.#machines.find(({ addresses }) => addresses?.includes(client));
    const late = this.#recent.filter((one) => one.client === client);
    return {
      name: machine?.name ?? client,
      address: client,
      role: machine?.role ?? '',
      state: '',
      lastAt,
      bytes,
      bytesPerSecond: late.reduce((sum, one) => sum + one.bytes, 0) / (RATE_MS / 1000),
      pulls: pullsOf(pulls, byDigest),
      refused: refusedOf(pulls, byDigest),
    };
  }
}

type ByDigest = ReadonlyMap<string, ImageRow>;

/** An index is no image of its own: its member is what is pulled. */
function pullsOf({ images }: ClientPulls, byDigest: ByDigest): NodeRow['pulls'] {
  return images
    .filter(({ blobs }) => blobs > 0)
    .map(({ repository, reference, firstAt, lastAt, bytes }) => ({
      image: nameOf(byDigest.get(reference), repository),
      reference,
      bytes,
      totalBytes: byDigest.get(reference)?.sizeBytes,
      firstAt,
      lastAt,
    }));
}

/** Signatures are asked for by a tag that most images do not have: no wonder that there is none. */
const OF_SIGNATURE = /^sha256-[0-9a-f]{64}/;

function refusedOf({ refused }: ClientPulls, byDigest: ByDigest): NodeRow['refused'] {
  return refused
    .filter(({ reference }) => !OF_SIGNATURE.test(reference))
    .map(({ repository, reference, status, error = '', times, at }) => {
      const image = byDigest.get(reference);
      const asked = `${repository}${reference.includes(':') ? '@' : ':'}${reference}`;
      return { image: image ? nameOf(image, repository) : asked, status, error, times, at };
    });
}

function withState(row: NodeRow, states: readonly MachineState[]): NodeRow {
  const found = states.find(({ name }) => name === row.name);
  return found ? { ...row, state: found.state, message: found.message } : row;
}

function rankOf(order: readonly string[], name: string): number {
  const index = order.indexOf(name);
  return index < 0 ? order.length : index;
}

const nameOf = (image: ImageRow | undefined, repository: string): string =>
  image?.component ??
  (image ? image.source.replace(/[@:][^/]*$/, '') : repository).replace(/^.*\//, '');
