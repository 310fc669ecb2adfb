import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, watch } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pack } from 'tar-stream';
import { expect } from 'vitest';
import { bundle } from '../../scripts/bundle.mjs';
import { collect, once } from '../../src/core/bytes.ts';
import { silentContext } from '../../src/core/context.ts';
import type { BundleIndex } from '../../src/mirror/bundle/bundle-index.ts';
import type { Recompression } from '../../src/mirror/delta/methods.ts';
import { openRecompressor } from '../../src/mirror/delta/recompressor.ts';
import { blobOf, buildImage } from '../../src/oci/build-image.ts';
import { digestOf } from '../../src/oci/digest.ts';
import { MEDIA_TYPES } from '../../src/oci/media-types.ts';
import { createRegistries } from '../../src/remote/create-registries.ts';
import type { Registries } from '../../src/remote/registries.ts';
import { type EmbeddedRegistry, startEmbeddedRegistry } from './embedded-registry.ts';
import { type SlowProxy, startSlowProxy } from './slow-proxy.ts';

const ctx = silentContext();
export const FILE_BYTES = 400_000;
export const BYTES_PER_SECOND = 8_000_000;
const PGZIP: Recompression = { program: 'pgzip', version: '1.16.7', level: -1 };

/** When a program dies without warning: when so many bytes have passed the proxy, or so many files of a folder have changed. */
export interface Kill {
  readonly proxy: SlowProxy;
  readonly after: number;
  readonly folder?: string;
}

export const indexOf = async (path: string): Promise<BundleIndex> =>
  JSON.parse(await readFile(join(path, 'bundle.json'), 'utf8'));
export const bytesOf = ({ chunks }: BundleIndex) => chunks.reduce((sum, { size }) => sum + size, 0);

/** The real program, an upstream behind a slow line, and images of which each version differs a little. */
export class DeltaLab {
  readonly folder: string;
  readonly program: string;
  readonly upstream: EmbeddedRegistry;
  readonly line: SlowProxy;
  readonly registries: Registries = createRegistries({ insecure: true, env: {} });
  readonly #digests = new Map<string, string>();

  private constructor(folder: string, upstream: EmbeddedRegistry, line: SlowProxy) {
    this.folder = folder;
    this.program = join(folder, 'atoll.mjs');
    this.upstream = upstream;
    this.line = line;
  }

  static async start(): Promise<DeltaLab> {
    const folder = await mkdtemp(join(tmpdir(), 'atoll-delta-'));
    const upstream = await startEmbeddedRegistry();
    const line = await startSlowProxy(upstream.url, BYTES_PER_SECOND);
    const lab = new DeltaLab(folder, upstream, line);
    await bundle({ outfile: lab.program, format: 'esm' });
    return lab;
  }

  async stop(): Promise<void> {
    await this.registries.close();
    await this.line.stop();
    await this.upstream.stop();
    await rm(this.folder, { recursive: true, force: true });
  }

  at(name: string): string {
    return join(this.folder, name);
  }

  save(config: string, to: string, ...more: string[]): string[] {
    return ['save', '-c', config, '--to', this.at(to), '--dir', this.at('outside'), ...more];
  }

  load(from: string, host: string, dir = 'inside'): string[] {
    return ['load', '--from', this.at(from), '--to', `docker://${host}`, '--dir', this.at(dir)];
  }

  /** Runs the real program; with `kill` it may not come to its end, and has no status then. */
  async atoll(argv: readonly string[], kill?: Kill) {
    const child = spawn(process.execPath, [this.program, 'mirror', ...argv, '--insecure'], {
      env: { PATH: process.env.PATH, HOME: this.folder },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let said = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk) => {
        said += chunk;
      });
    const die = () => {
      child.kill('SIGKILL');
      kill?.proxy.cut();
    };
    const forget = kill && (kill.folder ? afterChanges(kill, die) : afterBytes(kill, die));
    const status = await new Promise<number | null>((resolve) => child.once('exit', resolve));
    forget?.();
    return { status, said };
  }

  async done(argv: readonly string[]): Promise<string> {
    const { status, said } = await this.atoll(argv);
    if (status !== 0) throw new Error(said);
    return said;
  }

  /** An image with a layer for each way to compress. */
  async publish(name: string, version: number, methods: readonly Recompression[] = [PGZIP]) {
    const made = methods.map((method, at) => layerOf(`${name} ${at}`, version, method));
    const layers = await Promise.all(made);
    const image = buildImage({ layers, platform: { os: 'linux', architecture: 'amd64' } });
    const repository = this.registries.repository(this.upstream.host, `app/${name}`);
    for (const each of image.blobs)
      await repository.putBlob(ctx, each.descriptor, once(each.bytes));
    await repository.putManifest(ctx, image.manifest, `v${version}`);
    this.#digests.set(`${name}:v${version}`, image.manifest.descriptor.digest);
  }

  async configOf(version: number, images: readonly string[]): Promise<string> {
    const path = this.at(`imageset-${version}-${images.join('-')}.yaml`);
    const head = 'apiVersion: mirror.openshift.io/v2alpha1\nkind: ImageSetConfiguration\n';
    const names = images.map((name) => `  - name: ${this.line.host}/app/${name}:v${version}\n`);
    await writeFile(path, `${head}mirror:\n  additionalImages:\n${names.join('')}`);
    return path;
  }

  /** Every image with the digest upstream has, and every blob of it with its own. */
  async expectVersion(host: string, version: number, names: readonly string[]): Promise<void> {
    for (const name of names) {
      const repository = this.registries.repository(host, `app/${name}`);
      const root = await repository.resolve(ctx, `v${version}`);
      expect(root?.digest).toBe(this.#digests.get(`${name}:v${version}`));
      if (!root) continue;
      for (const child of (await repository.manifest(ctx, root)).children)
        expect(digestOf(await collect(repository.blob(ctx, child)))).toBe(child.digest);
    }
  }
}

function afterBytes({ proxy, after }: Kill, then: () => void): () => void {
  proxy.after(after, then);
  return () => proxy.after(Number.POSITIVE_INFINITY, () => undefined);
}

function afterChanges({ folder = '', after }: Kill, then: () => void): () => void {
  mkdirSync(folder, { recursive: true });
  let changes = 0;
  const watcher = watch(folder, { recursive: true }, () => {
    changes += 1;
    if (changes === after) then();
  });
  return () => watcher.close();
}

/** Noise that does not compress, in which a later version differs here and there. */
function content(name: string, version: number): Buffer {
  const blocks = Array.from({ length: FILE_BYTES / 32 }, (_, at) =>
    createHash('sha256')
      .update(`${name} ${at % 997 === 0 ? version : 0} ${at}`)
      .digest(),
  );
  return Buffer.concat(blocks);
}

/** Text that compresses well: where a line differs, the matches around it differ, too. */
function words(name: string, version: number): Buffer {
  const lines = Array.from({ length: FILE_BYTES / 50 }, (_, at) => {
    const told = createHash('sha256').update(`${name} ${at}`).digest('hex').slice(0, 6);
    return `pod ${told} on node ${at % 37} waits for image ${at % 7 === 0 ? version * at : at}\n`;
  });
  return Buffer.from(lines.join(''));
}

/** A layer as a builder makes it: a program that was built again, and a file beside it. */
async function layerOf(name: string, version: number, method: Recompression) {
  const tar = pack();
  const make = name.startsWith('words') ? words : content;
  tar.entry({ name: 'usr/bin/tool' }, make(name, version));
  tar.entry({ name: 'etc/version' }, String(version));
  tar.finalize();
  const bytes = await collect(tar as AsyncIterable<Buffer>);
  const gzip = openRecompressor(method);
  const layer = Buffer.concat([Buffer.from(gzip.write(bytes)), Buffer.from(gzip.finish())]);
  return { ...blobOf(MEDIA_TYPES.ociLayerGzip, layer), diffId: digestOf(bytes) };
}
