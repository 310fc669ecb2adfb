import type { AccessEntry } from '../../registry/access/access-log.ts';
import {
  type ClientImage,
  type ClientPulls,
  gatherPulls,
  type Pulls,
  type RefusedRequest,
} from '../../registry/access/pulls.ts';

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

export interface PullNames {
  /** What was refused before this may be mended by now. */
  readonly startedMs: number;
  /** The machine at an address. */
  readonly machineAt: (client: string) => string;
  /** What is in the mirror under a digest. */
  readonly imageOf: (digest: string) => string | undefined;
}

/** Signatures are looked for and need not be there. */
const OPTIONAL_TAG = /\.(?:sig|att|sbom)$/;

/** What machines pull from the mirror, by the names that the site has for machines and images. */
export class PullWatch {
  readonly #pulls: Pulls;
  readonly #imageOf: PullNames['imageOf'];

  constructor({ startedMs, machineAt, imageOf }: PullNames) {
    this.#pulls = gatherPulls({ nameOf: machineAt, refusedSince: new Date(startedMs) });
    this.#imageOf = imageOf;
  }

  take(request: AccessEntry): void {
    this.#pulls.add(request);
  }

  machines(): readonly MachinePull[] {
    return this.#pulls.clients().flatMap(({ client: machine, images, bytes, lastAt: at }) => {
      const last = images.at(-1);
      return last ? { machine, image: this.#nameOf(last), images: images.length, bytes, at } : [];
    });
  }

  refusals(): readonly Refusal[] {
    return this.#pulls.clients().flatMap((client) => [...denied(client), ...this.#missing(client)]);
  }

  #missing({ client: machine, refused }: ClientPulls): Refusal[] {
    const missing = refused.filter(
      ({ status, reference }) =>
        status === 404 && reference !== '' && !OPTIONAL_TAG.test(reference),
    );
    return missing.map((one) => ({
      ...{ machine, why: 'missing', what: this.#nameOf(one) },
      ...timesOf([one]),
    }));
  }

  #nameOf({ repository, reference }: Pick<ClientImage, 'repository' | 'reference'>): string {
    const known = this.#imageOf(reference);
    return known ?? `${repository}${reference.includes(':') ? '@' : ':'}${reference}`;
  }
}

/** One user with a wrong password is one refusal, whatever was asked for. */
function denied({ client: machine, refused }: ClientPulls): Refusal[] {
  const users = new Set(refused.flatMap(({ claimedUser }) => claimedUser ?? []));
  return [...users].map((what) => ({
    ...{ machine, why: 'denied', what },
    ...timesOf(refused.filter(({ claimedUser }) => claimedUser === what)),
  }));
}

function timesOf(same: readonly RefusedRequest[]) {
  const ms = (at: string) => new Date(at).getTime();
  return {
    count: same.reduce((sum, { times }) => sum + times, 0),
    sinceMs: Math.min(...same.map(({ firstAt }) => ms(firstAt))),
    lastMs: Math.max(...same.map(({ at }) => ms(at))),
  };
}
