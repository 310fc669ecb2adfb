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
  readonly firstAt: string;
  readonly at: string;
  readonly repository: string;
  readonly reference: string;
  readonly status: number;
  readonly error?: string | undefined;
  /** Who the client said it was, where the password was wrong. */
  readonly claimedUser?: string | undefined;
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
  /** What it never got, the newest last. What came on a later try, from wherever, is not among them. */
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

export interface PullOptions {
  /** Whose address it is: one machine may have several. */
  readonly nameOf?: ((client: string) => string) | undefined;
  /** What was refused before this may be mended by now. */
  readonly refusedSince?: Date | undefined;
}

/** Gathers who pulls what from the lines of an access log. */
export function gatherPulls({ nameOf = (name) => name, refusedSince }: PullOptions = {}): Pulls {
  const clients = new Map<string, Client>();
  const isOld = ({ at }: AccessEntry) => refusedSince !== undefined && new Date(at) < refusedSince;
  return {
    add(entry) {
      // A client with a wrong password has not named a repository yet.
      const { repository = entry.claimedUser === undefined ? undefined : '' } = entry;
      if (repository === undefined || entry.method !== 'GET') return;
      const client = clientOf(clients, { ...entry, client: nameOf(entry.client) });
      client.told.lastAt = entry.at;
      client.told.bytes += entry.bytesSent;
      if (entry.status >= 400) {
        if (!isOld(entry)) refuse(client, entry, repository);
        return;
      }
      forgive(client, entry);
      if (entry.route === 'manifest') beginImage(client, entry, repository);
      else if (entry.route === 'blob') addBlob(client, entry, repository);
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
}

function addBlob(client: Client, entry: AccessEntry, repository: string): void {
  const image = client.current.get(repository);
  if (!image) return;
  image.lastAt = entry.at;
  image.bytes += entry.bytesSent;
  image.blobs += 1;
}

/** A successful pull settles refusals of the same image in any repository, and refused logins. */
function forgive({ refused }: Client, { digest, reference }: AccessEntry): void {
  for (const [key, one] of refused) {
    const isHere = one.reference === reference || one.reference === digest;
    if (isHere || one.claimedUser !== undefined) refused.delete(key);
  }
}

function refuse(client: Client, entry: AccessEntry, repository: string): void {
  const { at, status, error, claimedUser, reference = '' } = entry;
  // Every pull begins without a login and is told to come back with one.
  if (status === 401 && claimedUser === undefined) return;
  const key = `${repository}@${reference}`;
  const { times = 0, firstAt = at } = client.refused.get(key) ?? {};
  client.refused.delete(key);
  const found = { firstAt, at, repository, reference, status, error, claimedUser };
  client.refused.set(key, { ...found, times: times + 1 });
}
