import { createHash, randomUUID } from 'node:crypto';

/** A request as the scripted server saw it. */
export interface SeenRequest {
  readonly method: string;
  /** Path with query. */
  readonly url: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string | undefined>>;
}

export interface Reply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

interface Upload {
  readonly chunks: Buffer[];
}

const hashOf = (bytes: Buffer) => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
const size = (chunks: readonly Buffer[]) => chunks.reduce((sum, chunk) => sum + chunk.length, 0);

/** The least a registry can be, kept in memory: what scripted servers answer when the script is silent. */
export class MemoryRegistry {
  readonly blobs = new Map<string, Buffer>();
  readonly manifests = new Map<string, { type: string; bytes: Buffer }>();
  readonly uploads = new Map<string, Upload>();

  addBlob(repository: string, bytes: Buffer): string {
    const digest = hashOf(bytes);
    this.blobs.set(`${repository}@${digest}`, bytes);
    return digest;
  }

  addManifest(repository: string, tag: string, type: string, text: string): string {
    const bytes = Buffer.from(text);
    const digest = hashOf(bytes);
    this.manifests.set(`${repository}:${tag}`, { type, bytes });
    this.manifests.set(`${repository}:${digest}`, { type, bytes });
    return digest;
  }

  /** Bytes of a body as they come, so that a cut upload keeps what had arrived. */
  sink(request: SeenRequest): ((chunk: Buffer) => void) | undefined {
    const id = /\/blobs\/uploads\/([^/?]+)$/.exec(request.path)?.[1];
    const upload = id === undefined ? undefined : this.uploads.get(id);
    return upload && ((chunk) => upload.chunks.push(chunk));
  }

  answer(request: SeenRequest, body: Buffer): Reply {
    if (request.path === '/v2/') return { status: 200, body: '{}' };
    const match = /^\/v2\/(.+)\/(blobs\/uploads|blobs|manifests)\/([^/]*)$/.exec(request.path);
    const [, repository = '', kind = '', name = ''] = match ?? [];
    if (kind === 'blobs/uploads') return this.#upload(request, repository, name);
    if (kind === 'blobs') return this.#blob(request, repository, name);
    if (kind === 'manifests') return this.#manifest(request, repository, name, body);
    return { status: 404, body: error('NAME_UNKNOWN') };
  }

  #blob(request: SeenRequest, repository: string, digest: string): Reply {
    const bytes = this.blobs.get(`${repository}@${digest}`);
    if (!bytes) return { status: 404, body: error('BLOB_UNKNOWN') };
    const start = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? -1);
    if (start < 0) return { status: 200, body: bytes };
    const range = `bytes ${start}-${bytes.length - 1}/${bytes.length}`;
    return { status: 206, headers: { 'content-range': range }, body: bytes.subarray(start) };
  }

  #manifest(request: SeenRequest, repository: string, name: string, body: Buffer): Reply {
    const key = `${repository}:${name}`;
    if (request.method === 'PUT') {
      const type = request.headers['content-type'] ?? '';
      const digest = this.addManifest(repository, name, type, body.toString('utf8'));
      return { status: 201, headers: { 'docker-content-digest': digest } };
    }
    if (request.method === 'DELETE') return { status: this.manifests.delete(key) ? 202 : 404 };
    const found = this.manifests.get(key);
    if (!found) return { status: 404, body: error('MANIFEST_UNKNOWN') };
    const headers = { 'content-type': found.type, 'docker-content-digest': hashOf(found.bytes) };
    return { status: 200, headers, body: found.bytes };
  }

  #upload(request: SeenRequest, repository: string, id: string): Reply {
    if (request.method === 'POST') return this.#start(request, repository);
    const upload = this.uploads.get(id);
    if (!upload) return { status: 404, body: error('BLOB_UPLOAD_UNKNOWN') };
    const headers = {
      location: request.path,
      range: `0-${Math.max(0, size(upload.chunks) - 1)}`,
    };
    if (request.method === 'GET') return { status: 204, headers };
    if (request.method === 'PATCH') return { status: 202, headers };
    this.uploads.delete(id);
    if (request.method === 'DELETE') return { status: 204 };
    const bytes = Buffer.concat(upload.chunks);
    const digest = hashOf(bytes);
    if (digest !== request.query.get('digest'))
      return { status: 400, body: error('DIGEST_INVALID') };
    this.blobs.set(`${repository}@${digest}`, bytes);
    return { status: 201, headers: { 'docker-content-digest': digest } };
  }

  #start(request: SeenRequest, repository: string): Reply {
    const mount = `${request.query.get('from')}@${request.query.get('mount')}`;
    const bytes = this.blobs.get(mount);
    if (bytes) {
      this.addBlob(repository, bytes);
      return { status: 201 };
    }
    const id = randomUUID();
    this.uploads.set(id, { chunks: [] });
    return { status: 202, headers: { location: `/v2/${repository}/blobs/uploads/${id}` } };
  }
}

/** An error body as the specification wants it. */
export function error(code: string, message = code.toLowerCase()): string {
  return JSON.stringify({ errors: [{ code, message }] });
}
