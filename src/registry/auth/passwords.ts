import { createHmac, randomBytes } from 'node:crypto';
import { compare, hash, truncates } from 'bcryptjs';
import type { Context } from '../../core/context.ts';
import { AtollError } from '../../core/errors.ts';
import { createPool } from '../../core/pool.ts';

const ROUNDS = 10;
const MAX_KNOWN = 1000;
/** More than this at once would take the processor away from everybody else. */
const CONCURRENT_CHECKS = 1;
/** Compared with when there is no such user, so that the answer takes as long. */
const NOBODY = '$2b$10$abcdefghijklmnopqrstuu4L2Nn0nC9xUzOOPrtWc8sXIV1GZ1bOe';

/** Somebody whose guesses are counted. */
export interface Guesser {
  /** Addresses take turns, so that one with many guesses does not keep the others waiting. */
  readonly address: string;
  /** Throws when there were too many. Asked when their turn comes: many may be waiting by then. */
  readonly admit: () => void;
  readonly wrong: () => void;
}

/** Checks passwords: bcrypt the first time, a keyed fingerprint in memory after that. */
export interface Passwords {
  /** At once, when this very password was right before. */
  isKnown(user: string, password: string, hash: string): boolean;
  check(
    user: string,
    password: string,
    hash: string | undefined,
    guesser?: Guesser,
  ): Promise<boolean>;
}

export function createPasswords(ctx: Pick<Context, 'signal'>): Passwords {
  // The key lives as long as the process: a fingerprint is worth nothing outside of it.
  const key = randomBytes(32);
  const known = new Set<string>();
  const checking = new Map<string, Promise<boolean>>();
  const pool = createPool(ctx, CONCURRENT_CHECKS);
  const fingerprint = (user: string, password: string, hashed: string) =>
    createHmac('sha256', key)
      .update(JSON.stringify([user, password, hashed]))
      .digest('base64');

  async function run(
    print: string,
    password: string,
    hashed: string | undefined,
    guesser: Guesser | undefined,
  ): Promise<boolean> {
    const right = await pool.run(guesser?.address ?? '', async () => {
      guesser?.admit();
      const same = await compare(password, hashed ?? NOBODY);
      if (same && hashed !== undefined) return true;
      guesser?.wrong();
      return false;
    });
    if (right) known.add(print);
    if (known.size > MAX_KNOWN) known.delete(known.values().next().value ?? '');
    return right;
  }

  return {
    isKnown: (user, password, hashed) => known.has(fingerprint(user, password, hashed)),
    async check(user, password, hashed, guesser) {
      const print = fingerprint(user, password, hashed ?? '');
      if (known.has(print)) return true;
      // Many connections of one client start at once: they share one computation.
      const shared = checking.get(print);
      if (shared) return await shared;
      const started = run(print, password, hashed, guesser).finally(() => checking.delete(print));
      checking.set(print, started);
      return await started;
    },
  };
}

export async function hashPassword(password: string): Promise<string> {
  if (password.length === 0 || truncates(password)) {
    throw new AtollError('INPUT_INVALID', 'Cannot use this password: it is empty or too long', {
      hint: 'Choose one of 1 to 72 bytes',
    });
  }
  return await hash(password, ROUNDS);
}

const LETTERS = 'abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789';
const GENERATED_LENGTH = 24;

/** A password nobody can guess and everybody can type. */
export function generatePassword(): string {
  const letters: string[] = [];
  while (letters.length < GENERATED_LENGTH) {
    // Values past the last whole run of letters would make some letters likelier.
    for (const byte of randomBytes(GENERATED_LENGTH)) {
      const letter = LETTERS[byte];
      if (letter !== undefined && letters.length < GENERATED_LENGTH) letters.push(letter);
    }
  }
  return letters.join('');
}
