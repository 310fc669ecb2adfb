import type { AccessEntry } from '../../registry/access/access-log.ts';

/** What of a line of the mirror's access log tells what machines pull. */
type MirrorRequest = Pick<
  AccessEntry,
  | 'at'
  | 'client'
  | 'claimedUser'
  | 'status'
  | 'route'
  | 'repository'
  | 'reference'
  | 'digest'
  | 'bytesSent'
>;

/** What one machine has taken from the mirror. */
export interface MachinePull {
  readonly machine: string;
  /** The image it asked for last, by the name people know. */
  readonly image: string;
  readonly images: number;
  readonly bytes: number;
  readonly at: string;
}

/** Something a machine asks for again and again, and does not get. */
export interface Refusal {
  readonly machine: string;
  readonly why: 'missing' | 'denied';
  /** The image, or the user who was refused. */
  readonly what: string;
  readonly count: number;
  readonly sinceMs: number;
  readonly lastMs: number;
}

export interface PullOptions {
  /** What was refused before this may be mended by now. */
  readonly startedMs: number;
  /** The machine at an address. */
  readonly machineAt: (client: string) => string;
  /** What is in the mirror under a digest. */
  readonly imageOf: (digest: string) => string | undefined;
}

/** Signatures are looked for and need not be there. */
const OPTIONAL_TAG = /\.(?:sig|att|sbom)$/;

/** What machines pull, request by request, from the mirror's own log. */
export class PullWatch {
  readonly #options: PullOptions;
  readonly #machines = new Map<string, MachinePull & { readonly seen: ReadonlySet<string> }>();
  readonly #refusals = new Map<string, Refusal>();

  constructor(options: PullOptions) {
    this.#options = options;
  }

  take(request: MirrorRequest): void {
    const machine = this.#options.machineAt(request.client);
    if (request.status === 200 || request.status === 206) this.#served(machine, request);
    else if (request.claimedUser !== undefined)
      this.#refused(machine, 'denied', request.claimedUser, request);
    else if (request.status === 404 && request.reference && !OPTIONAL_TAG.test(request.reference))
      this.#refused(machine, 'missing', this.#nameOf(request), request);
  }

  machines(): readonly MachinePull[] {
    return [...this.#machines.values()];
  }

  refusals(): readonly Refusal[] {
    return [...this.#refusals.values()];
  }

  #nameOf({ digest, reference = '', repository = '' }: MirrorRequest): string {
    const known = this.#options.imageOf(digest ?? reference);
    return known ?? `${repository}${reference.includes(':') ? '@' : ':'}${reference}`;
  }

  #served(machine: string, request: MirrorRequest): void {
    const before = this.#machines.get(machine);
    const isImage = request.route === 'manifest';
    const image = isImage ? this.#nameOf(request) : (before?.image ?? '');
    const seen = isImage ? new Set([...(before?.seen ?? []), image]) : (before?.seen ?? new Set());
    const bytes = (before?.bytes ?? 0) + request.bytesSent;
    this.#machines.set(machine, {
      ...{ machine, image, images: seen.size, bytes, at: request.at, seen },
    });
    // Who gets what it wants is not refused, whatever was before.
    for (const [key, { why, what }] of this.#refusals) {
      const isOver = why === 'denied' || what === image;
      if (key.startsWith(`${machine} `) && isOver) this.#refusals.delete(key);
    }
  }

  #refused(machine: string, why: Refusal['why'], what: string, { at }: MirrorRequest): void {
    const lastMs = new Date(at).getTime();
    if (lastMs < this.#options.startedMs) return;
    const key = `${machine} ${why} ${what}`;
    const before = this.#refusals.get(key);
    const count = (before?.count ?? 0) + 1;
    this.#refusals.set(key, {
      ...{ machine, why, what, count, sinceMs: before?.sinceMs ?? lastMs, lastMs },
    });
  }
}
