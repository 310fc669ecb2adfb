import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The small upstream: an OCI layout whose entries carry full references. See its README. */
export const UPSTREAM = join(import.meta.dirname, '..', 'fixtures', 'upstream');

interface Entry {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
  readonly annotations?: Readonly<Record<string, string>>;
}

interface Manifest {
  readonly config?: Entry;
  readonly layers?: readonly Entry[];
  readonly manifests?: readonly Entry[];
}

const REF_NAME = 'org.opencontainers.image.ref.name';

const blob = (digest: string) =>
  readFile(join(UPSTREAM, 'layout', 'blobs', 'sha256', digest.slice('sha256:'.length)));

/** Every image of the upstream: full reference and descriptor. */
export async function upstreamEntries(): Promise<(Entry & { readonly reference: string })[]> {
  const index = JSON.parse(await readFile(join(UPSTREAM, 'layout', 'index.json'), 'utf8'));
  return (index.manifests as Entry[]).map((entry) => ({
    ...entry,
    reference: entry.annotations?.[REF_NAME] ?? '',
  }));
}

/**
 * Pushes the upstream into a registry, each image at its path without its host, with plain `fetch`
 * so that no code under test is involved. Headers may carry credentials.
 */
export async function publishUpstream(
  url: string,
  headers: Record<string, string> = {},
  wanted: (reference: string) => boolean = () => true,
): Promise<void> {
  const pushed = new Set<string>();
  for (const entry of await upstreamEntries()) {
    if (!wanted(entry.reference)) continue;
    const [, path = '', tag = ''] =
      /^[^/]+\/(.+?)(?:[:@]([^:@/]+(?::[0-9a-f]+)?))?$/.exec(entry.reference) ?? [];
    await pushTree(url, path, entry, tag.startsWith('sha256:') ? undefined : tag, headers, pushed);
  }
}

async function pushTree(
  url: string,
  repository: string,
  entry: Entry,
  tag: string | undefined,
  headers: Record<string, string>,
  pushed: Set<string>,
): Promise<void> {
  const bytes = await blob(entry.digest);
  const manifest: Manifest = JSON.parse(bytes.toString('utf8'));
  for (const child of manifest.manifests ?? []) {
    await pushTree(url, repository, child, undefined, headers, pushed);
  }
  for (const child of [manifest.config, ...(manifest.layers ?? [])]) {
    if (child) await pushBlob(url, repository, child, headers, pushed);
  }
  const response = await fetch(`${url}/v2/${repository}/manifests/${tag ?? entry.digest}`, {
    method: 'PUT',
    headers: { ...headers, 'content-type': entry.mediaType },
    body: new Uint8Array(bytes),
  });
  if (!response.ok)
    throw new Error(`PUT ${repository}:${tag}: ${response.status} ${await response.text()}`);
}

async function pushBlob(
  url: string,
  repository: string,
  entry: Entry,
  headers: Record<string, string>,
  pushed: Set<string>,
): Promise<void> {
  const key = `${repository}@${entry.digest}`;
  if (pushed.has(key)) return;
  const start = await fetch(`${url}/v2/${repository}/blobs/uploads/`, { method: 'POST', headers });
  const location = new URL(start.headers.get('location') ?? '', url);
  location.searchParams.set('digest', entry.digest);
  const response = await fetch(location, {
    method: 'PUT',
    headers: { ...headers, 'content-type': 'application/octet-stream' },
    body: new Uint8Array(await blob(entry.digest)),
  });
  if (!response.ok) throw new Error(`PUT blob ${key}: ${response.status} ${await response.text()}`);
  pushed.add(key);
}
