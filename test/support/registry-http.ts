import { randomBytes } from 'node:crypto';
import { type Digest, digestOf } from '../../src/oci/digest.ts';
import { MEDIA_TYPES } from '../../src/oci/media-types.ts';

type Body = Uint8Array | string | undefined;

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Buffer;
}

export interface RequestOptions {
  readonly headers?: Record<string, string>;
  readonly body?: Body;
  readonly signal?: AbortSignal;
}

/** A client of one registry that follows nothing and hides nothing. */
export interface RegistryHttp {
  send(method: string, path: string, options?: RequestOptions): Promise<Answer>;
  /** Opens an upload and returns its location. */
  open(repository: string): Promise<string>;
  pushBlob(repository: string, bytes: Uint8Array): Promise<Digest>;
  pushManifest(repository: string, reference: string, manifest: object): Promise<Answer>;
  /** An image with one random layer of `layerBytes`; returns what it is made of. */
  pushImage(repository: string, tag: string, layerBytes?: number): Promise<PushedImage>;
}

export interface PushedImage {
  readonly digest: Digest;
  readonly manifest: string;
  readonly config: Digest;
  readonly layer: Digest;
  readonly layerBytes: Buffer;
}

export function registryHttp(url: string, headers: Record<string, string> = {}): RegistryHttp {
  const send: RegistryHttp['send'] = async (method, path, options = {}) => {
    const response = await fetch(new URL(path, url), {
      method,
      redirect: 'manual',
      headers: { ...headers, ...options.headers },
      ...(options.body === undefined
        ? {}
        : { body: options.body as NonNullable<RequestInit['body']> }),
      ...(options.signal ? { signal: options.signal } : {}),
    });
    const bytes = Buffer.from(await response.arrayBuffer());
    return { status: response.status, headers: response.headers, bytes };
  };

  const open: RegistryHttp['open'] = async (repository) => {
    const { status, headers: got, bytes } = await send('POST', `/v2/${repository}/blobs/uploads/`);
    if (status !== 202) throw new Error(`POST ${repository}: ${status} ${bytes}`);
    return got.get('location') ?? '';
  };

  const pushBlob: RegistryHttp['pushBlob'] = async (repository, bytes) => {
    const digest = digestOf(bytes);
    const location = await open(repository);
    const path = `${location}${location.includes('?') ? '&' : '?'}digest=${digest}`;
    const { status, bytes: answer } = await send('PUT', path, { body: bytes });
    if (status !== 201) throw new Error(`PUT ${digest}: ${status} ${answer}`);
    return digest;
  };

  const pushManifest: RegistryHttp['pushManifest'] = (repository, reference, manifest) => {
    const { mediaType = MEDIA_TYPES.ociManifest } = manifest as { mediaType?: string };
    return send('PUT', `/v2/${repository}/manifests/${reference}`, {
      headers: { 'content-type': mediaType },
      body: JSON.stringify(manifest),
    });
  };

  return {
    send,
    open,
    pushBlob,
    pushManifest,
    async pushImage(repository, tag, layerBytes = 2048) {
      const layer = randomBytes(layerBytes);
      const config = Buffer.from('{}');
      await pushBlob(repository, layer);
      await pushBlob(repository, config);
      const manifest = imageManifest(config, [layer]);
      const { status, bytes } = await pushManifest(repository, tag, manifest);
      if (status !== 201) throw new Error(`PUT ${repository}:${tag}: ${status} ${bytes}`);
      const text = JSON.stringify(manifest);
      return {
        digest: digestOf(text),
        manifest: text,
        config: digestOf(config),
        layer: digestOf(layer),
        layerBytes: layer,
      };
    },
  };
}

export function imageManifest(
  config: Uint8Array,
  layers: readonly Uint8Array[],
  extra: object = {},
) {
  return {
    schemaVersion: 2,
    mediaType: MEDIA_TYPES.ociManifest,
    config: { mediaType: MEDIA_TYPES.ociConfig, digest: digestOf(config), size: config.length },
    layers: layers.map((layer) => ({
      mediaType: MEDIA_TYPES.ociLayer,
      digest: digestOf(layer),
      size: layer.length,
    })),
    ...extra,
  };
}

/** The code in an error body of the specification. */
export function errorCode({ bytes }: Answer): string {
  return JSON.parse(bytes.toString('utf8')).errors[0].code;
}
