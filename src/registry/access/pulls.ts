import type { AccessEntry } from './access-log.ts';

/** An image, as a client asks a registry for it. */
export interface ClientImage {
  readonly repository: string;
  /** Digest where it is known, otherwise the tag that was asked for. */
  readonly reference: string;
  readonly firstAt: string;
  readonly lastAt: string;
  /** Sent to this client for this image, headers included. */
  readonly bytes: number;
  readonly blobs: number;
}

/** Something a client asked for and did not get. */
export interface RefusedRequest {
  readonly at: string;
  readonly repository: string;
  readonly reference: string;
  readonly status: number;
  readonly error?: string | undefined;
  readonly times: number;
}

/** What one machine has done at the mirror. */
export interface ClientPulls {
  readonly client: string;
  readonly agent?: string | undefined;
  readonly lastAt: string;
  readonly bytes: number;
  /** The oldest first; the last one is what it pulls now, or pulled last. */
  readonly images: readonly ClientImage[];
  /** What it never got, the newest last. What came on a later try is not among them. */
  readonly refused: readonly RefusedRequest[];
}

export interface Pulls {
  add(entry: AccessEntry): void;
  /** Who asked last comes first. */
  clients(): readonly ClientPulls[];
}

type Writable<T> = { -readonly [K in keyof T]: T[K] };
interface Client {
  readonly told: Writable<Omit<ClientPulls, 'images' | 'refused'>>;
  readonly images: Map<string, Writable<ClientImage>>;
  readonly refused: Map<string, Writable<RefusedRequest>>;
  /** Which image a client was last told of in a repository: its blobs belong to that one. */
  readonly current: Map<string, Writable<ClientImage>>;
}

/** Gathers who pulls what from the lines of an access log. */
export function gatherPulls(): Pulls {
  const clients = new Map<string, Client>();
  return {
    add(entry) {
      if (entry.repository === undefined || entry.method !== 'GET') return;
      const client = clientOf(clients, entry);
      client.told.lastAt = entry.at;
      client.told.bytes += entry.bytesSent;
      if (entry.status >= 400) refuse(client, entry, entry.repository);
      else if (entry.route === 'manifest') beginImage(client, entry, entry.repository);
      else if (entry.route === 'blob') addBlob(client, entry, entry.repository);
    },
    clients: () =>
      [...clients.values()]
        .map(({ told, images, refused }) => ({
          ...told,
          images: [...images.values()],
          refused: [...refused.values()],
        }))
        .sort((a, b) => (a.lastAt < b.lastAt ? 1 : -1)),
  };
}

function clientOf(clients: Map<string, Client>, { client, agent, at }: AccessEntry): Client {
  const known = clients.get(client);
  if (known) return known;
  const made: Client = {
    told: { client, agent, lastAt: at, bytes: 0 },
    images: new Map(),
    refused: new Map(),
    current: new Map(),
  };
  clients.set(client, made);
  return made;
}

/** An index and then its member: both are told, and the blobs count for the member. */
function beginImage(client: Client, entry: AccessEntry, repository: string): void {
  const reference = entry.digest ?? entry.reference ?? '';
  const key = `${repository}@${reference}`;
  const image = client.images.get(key) ?? {
    repository,
    reference,
    firstAt: entry.at,
    lastAt: entry.at,
    bytes: 0,
    blobs: 0,
  };
  image.lastAt = entry.at;
  image.bytes += entry.bytesSent;
  // The newest comes last, also when it is asked for again.
  client.images.delete(key);
  client.images.set(key, image);
  client.current.set(repository, image);
  client.refused.delete(`${repository}@${entry.reference}`);
}

function addBlob(client: Client, entry: AccessEntry, repository: string): void {
  client.refused.delete(`${repository}@${entry.reference}`);
  const image = client.current.get(repository);
  if (!image) return;
  image.lastAt = entry.at;
  image.bytes += entry.bytesSent;
  image.blobs += 1;
}

function refuse(client: Client, entry: AccessEntry, repository: string): void {
  // Every pull begins without a login and is told to come back with one.
  if (entry.status === 401 && entry.claimedUser === undefined) return;
  const reference = entry.reference ?? '';
  const key = `${repository}@${reference}`;
  const times = (client.refused.get(key)?.times ?? 0) + 1;
  const { at, status, error } = entry;
  client.refused.delete(key);
  client.refused.set(key, { at, repository, reference, status, error, times });
}
