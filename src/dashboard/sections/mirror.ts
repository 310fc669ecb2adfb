import { X509Certificate } from 'node:crypto';
import type { Context } from '../../core/context.ts';
import type { AccessEntry } from '../../registry/access/access-log.ts';
import type { MirrorData } from '../model/page-data.ts';
import { addBytes, type ByteSeries } from '../model/run-state.ts';
import type { MirrorFolder } from './mirror-folder.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/** The embedded registry as its log and its folder show it. */
export class MirrorWatch {
  readonly #host: string;
  readonly #folder: MirrorFolder;
  #requests = 0;
  #refused = 0;
  #sentBytes = 0;
  #sent: ByteSeries = { startMs: 0, slotMs: 1000, values: [] };

  constructor(host: string, folder: MirrorFolder) {
    this.#host = host;
    this.#folder = folder;
  }

  add(entries: readonly AccessEntry[]): void {
    for (const { at, status, bytesSent, claimedUser } of entries) {
      this.#requests += 1;
      if (status >= 400 && !(status === 401 && claimedUser === undefined)) this.#refused += 1;
      this.#sentBytes += bytesSent;
      addBytes(this.#sent, Date.parse(at), bytesSent);
    }
  }

  async read(ctx: Context): Promise<MirrorData | undefined> {
    const found = await this.#folder.facts(ctx);
    if (!found) return undefined;
    const { certificate, ...facts } = found;
    return {
      host: this.#host,
      requests: this.#requests,
      refused: this.#refused,
      sentBytes: this.#sentBytes,
      sent: { ...this.#sent, values: [...this.#sent.values] },
      ...facts,
      certificate: certificate === undefined ? undefined : certificateOf(certificate, ctx.now()),
    };
  }
}

function certificateOf(pem: string, now: Date): MirrorData['certificate'] {
  const { subjectAltName = '', validTo } = new X509Certificate(pem);
  const ends = new Date(validTo);
  const subject = subjectAltName.replaceAll(/(?:DNS|IP Address):/g, '');
  const days = Math.floor((ends.getTime() - now.getTime()) / DAY_MS);
  return { subject, validTo: ends.toISOString(), days };
}
