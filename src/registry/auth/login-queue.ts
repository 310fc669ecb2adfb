/** A login whose password has to be compared. */
export interface LoginAttempt {
  /** Where it comes from. */
  readonly address: string;
  /** Whom it is for; undefined for all users that do not exist together. */
  readonly user: string | undefined;
  /** Whether the client has hung up. */
  readonly isGone: () => boolean;
}

/** How a login is looked upon now: 0 goes first. Undefined: not yet. */
export type Rank = (login: LoginAttempt) => number | undefined;

/**
 * Password checks take turns, one at a time, because each takes the processor away from everybody
 * else. Those of a better rank go first; within one, users take turns, and then addresses: who
 * guesses a thousand times keeps nobody else waiting a thousand times.
 */
export interface LoginQueue {
  /** Rejects with what `refusal` makes when this one guesses more than is remembered. */
  run<T>(login: LoginAttempt, task: () => Promise<T>): Promise<T>;
  readonly waiting: number;
}

interface Waiting {
  readonly login: LoginAttempt;
  readonly start: () => void;
  readonly refuse: () => void;
}

/** A thousand may wait, and of one address no more than this. */
const MAX_WAITING = 1000;
const MAX_OF_ADDRESS = 64;
/** Polls for clients that are still held back: there is no event for the end of a delay. */
const LOOK_MS = 100;

export function createLoginQueue(rank: Rank, refusal: () => Error): LoginQueue {
  const waiting: Waiting[] = [];
  const turns = createTurns();
  let busy = false;
  let timer: NodeJS.Timeout | undefined;

  function startNext(): void {
    clearTimeout(timer);
    timer = undefined;
    if (busy || waiting.length === 0) return;
    for (const one of waiting.filter(({ login }) => login.isGone())) drop(one)?.refuse();
    const next = drop(bestOf(waiting, rank, turns));
    if (next) {
      turns.taken(next.login);
      next.start();
    } else if (waiting.length > 0) timer = setTimeout(startNext, LOOK_MS);
  }

  function drop(one: Waiting | undefined): Waiting | undefined {
    return one && waiting.splice(waiting.indexOf(one), 1)[0];
  }

  /** The last login of the client that has the most in the queue. */
  function refuseOne(crowd: readonly Waiting[]): void {
    const counts = new Map<string, Waiting[]>();
    for (const one of crowd) {
      const key = JSON.stringify([one.login.address, one.login.user]);
      counts.set(key, [...(counts.get(key) ?? []), one]);
    }
    const largest = [...counts.values()].reduce((a, b) => (b.length > a.length ? b : a));
    drop(largest.at(-1))?.refuse();
  }

  function limit({ address }: LoginAttempt): void {
    const same = waiting.filter(({ login }) => login.address === address);
    if (same.length > MAX_OF_ADDRESS) refuseOne(same);
    else if (waiting.length > MAX_WAITING) refuseOne(waiting);
  }

  return {
    get waiting() {
      return waiting.length;
    },
    run<T>(login: LoginAttempt, task: () => Promise<T>): Promise<T> {
      return new Promise<T>((resolve, reject) => {
        const start = () => {
          busy = true;
          const finished = () => {
            busy = false;
            // Not at once: the requests that need no check have their turn first.
            setImmediate(startNext);
          };
          task().then(resolve, reject).then(finished, finished);
        };
        waiting.push({ login, start, refuse: () => reject(refusal()) });
        limit(login);
        startNext();
      });
    },
  };
}

interface Turns {
  taken(login: LoginAttempt): void;
  /** When its user, and then its address, last had a turn; smaller is longer ago. */
  last(login: LoginAttempt): readonly [user: number, address: number];
}

const MAX_REMEMBERED = 10_000;

function createTurns(): Turns {
  const users = new Map<string | undefined, number>();
  const addresses = new Map<string, number>();
  let now = 0;
  return {
    taken({ user, address }) {
      now += 1;
      users.set(user, now);
      addresses.set(address, now);
      for (const map of [users, addresses]) if (map.size > MAX_REMEMBERED) map.clear();
    },
    last: ({ user, address }) => [users.get(user) ?? 0, addresses.get(address) ?? 0],
  };
}

/** The first that came, of those whose turn it is. */
function bestOf(waiting: readonly Waiting[], rank: Rank, turns: Turns): Waiting | undefined {
  let best: { readonly one: Waiting; readonly order: readonly number[] } | undefined;
  for (const one of waiting) {
    const ranked = rank(one.login);
    if (ranked === undefined) continue;
    const order = [ranked, ...turns.last(one.login)];
    if (!best || comesBefore(order, best.order)) best = { one, order };
  }
  return best?.one;
}

function comesBefore(a: readonly number[], b: readonly number[]): boolean {
  const at = a.findIndex((value, index) => value !== b[index]);
  return at >= 0 && (a[at] ?? 0) < (b[at] ?? 0);
}
