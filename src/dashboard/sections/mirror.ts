import { X509Certificate } from 'node:crypto';
import { join } from 'node:path';
import type { Context } from '../../core/context.ts';
import { readTextIfPresent } from '../../core/files.ts';
import type { AccessEntry } from '../../registry/access/access-log.ts';
import { mirrorHost } from '../../site/mirror-place.ts';
import type { Site } from '../../site/read-site.ts';
import { isServiceRunning } from '../../site/service.ts';
import { sitePaths } from '../../site/site-paths.ts';
import { registryPidFile } from '../../site/stages/registry.ts';
import { diskBlobs } from '../../store/disk/blobs.ts';
import { freeSpace } from '../../store/disk/free-space.ts';
import type { MirrorData } from '../model/page-data.ts';
import { addBytes, type ByteSeries } from '../model/run-state.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
/** Counting what lies on a disk is not for every second. */
const COUNT_EVERY_MS = 20_000;

/** The embedded registry as its log and its folder show it. */
export class MirrorWatch {
  readonly #site: Site;
  #requests = 0;
  #refused = 0;
  #sentBytes = 0;
  #sent: ByteSeries = { startMs: 0, slotMs: 1000, values: [] };
  #stored = { blobs: 0, storedBytes: 0 };
  #countedMs = Number.NEGATIVE_INFINITY;

  constructor(site: Site) {
    this.#site = site;
  }

  add(entries: readonly AccessEntry[]): void {
    for (const { at, status, bytesSent, claimedUser } of entries) {
      this.#requests += 1;
      if (status >= 400 && !(status === 401 && claimedUser === undefined)) this.#refused += 1;
      this.#sentBytes += bytesSent;
      addBytes(this.#sent, Date.parse(at), bytesSent);
    }
  }

  /** Undefined where the mirror is somebody else's. */
  async read(ctx: Context): Promise<MirrorData | undefined> {
    const paths = sitePaths(this.#site);
    if (this.#site.registry.type !== 'embedded') return undefined;
    if (performance.now() - this.#countedMs > COUNT_EVERY_MS) {
      this.#stored = await countBlobs(ctx, join(paths.registry, 'data'));
      this.#countedMs = performance.now();
    }
    const pem = await readTextIfPresent(join(paths.registry, 'tls', 'server.crt'));
    return {
      host: mirrorHost(this.#site),
      running: await isServiceRunning(registryPidFile(paths)),
      requests: this.#requests,
      refused: this.#refused,
      sentBytes: this.#sentBytes,
      sent: { ...this.#sent, values: [...this.#sent.values] },
      ...this.#stored,
      freeBytes: await freeSpace(paths.registry),
      certificate: pem === undefined ? undefined : certificateOf(pem, ctx.now()),
    };
  }
}

async function countBlobs(ctx: Context, folder: string) {
  const found = { blobs: 0, storedBytes: 0 };
  for await (const { size } of diskBlobs(folder).list(ctx)) {
    found.blobs += 1;
    found.storedBytes += size;
  }
  return found;
}

function certificateOf(pem: string, now: Date): MirrorData['certificate'] {
  const { subjectAltName = '', validTo } = new X509Certificate(pem);
  const ends = new Date(validTo);
  const subject = subjectAltName.replaceAll(/(?:DNS|IP Address):/g, '');
  const days = Math.floor((ends.getTime() - now.getTime()) / DAY_MS);
  return { subject, validTo: ends.toISOString(), days };
}
