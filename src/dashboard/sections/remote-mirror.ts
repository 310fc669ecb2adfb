import { join } from 'node:path';
import type { Context } from '../../core/context.ts';
import { sleep } from '../../core/retry.ts';
import type { Host } from '../../host/host.ts';
import type { AccessEntry } from '../../registry/access/access-log.ts';
import { parseAccessLine } from '../../registry/access/read-access-log.ts';
import { lookAtRemoteMirror } from '../../site/remote-mirror.ts';
import { type FolderFacts, type MirrorFolder, seldom } from './mirror-folder.ts';

const ANSWER_MS = 8000;

/** Of a registry on a bastion that is another machine. One that is slow to answer keeps nobody waiting for long. */
export function remoteMirror(open: (ctx: Context) => Promise<Host>, folder: string): MirrorFolder {
  const access = new RemoteAccess(open, join(folder, 'access.log'));
  let known: FolderFacts | undefined;
  const look = seldom(async (ctx) => {
    known = { ...(await lookAtRemoteMirror(ctx, await open(ctx), folder)), running: undefined };
  });
  return {
    newRequests: (ctx) => access.read(ctx),
    facts: async (ctx) => {
      await soon(ctx, look(ctx));
      return known;
    },
  };
}

/** Waits for it, but not for long: it goes on by itself. */
const soon = (ctx: Context, work: Promise<unknown>): Promise<unknown> =>
  Promise.race([work.catch(() => undefined), sleep(ctx, ANSWER_MS)]);

/** The access log of a registry elsewhere: read as a whole once, then line by line as it grows. */
class RemoteAccess {
  readonly #open: (ctx: Context) => Promise<Host>;
  readonly #path: string;
  #entries: AccessEntry[] = [];
  /** Lines that were taken: where following begins again, these are not new. */
  #taken = 0;
  #reading: { readonly whole: Promise<void> } | undefined;

  constructor(open: (ctx: Context) => Promise<Host>, path: string) {
    this.#open = open;
    this.#path = path;
  }

  async read(ctx: Context): Promise<readonly AccessEntry[]> {
    this.#reading ??= this.#begin(ctx);
    await soon(ctx, this.#reading.whole);
    const entries = this.#entries;
    this.#entries = [];
    return entries;
  }

  /** Goes on in the background; what ends it is taken up at the next read. */
  #begin(ctx: Context): { readonly whole: Promise<void> } {
    const opened = this.#open(ctx);
    const whole = opened.then((host) => this.#takeWhole(ctx, host));
    whole
      .then(async () => this.#follow(ctx, await opened))
      .catch(() => undefined)
      .finally(() => {
        this.#reading = undefined;
      });
    return { whole };
  }

  async #takeWhole(ctx: Context, host: Host): Promise<void> {
    const chunks: Uint8Array[] = [];
    for await (const chunk of host.get(ctx, this.#path)) chunks.push(chunk);
    const lines = Buffer.concat(chunks).toString('utf8').split('\n').slice(0, -1);
    for (const line of lines.slice(this.#taken)) this.#take(line);
  }

  async #follow(ctx: Context, host: Host): Promise<void> {
    const known = this.#taken;
    let seen = 0;
    for await (const line of host.follow(ctx, this.#path)) {
      seen += 1;
      if (seen > known) this.#take(line);
    }
  }

  #take(line: string): void {
    this.#taken += 1;
    const entry = parseAccessLine(line);
    if (entry) this.#entries.push(entry);
  }
}
