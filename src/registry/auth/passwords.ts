import { createHmac, randomBytes } from 'node:crypto';
import { compare, hash, truncates } from 'bcryptjs';
import { AtollError } from '../../core/errors.ts';

/** The logarithm of the work that a hash of ours takes. */
export const USUAL_COST = 10;
const MAX_KNOWN = 1000;

/** Checks passwords: bcrypt the first time, a keyed fingerprint in memory after that. */
export interface Passwords {
  /** At once, when this very password was right before. */
  isKnown(user: string, password: string, hash: string): boolean;
  /** Undefined hash: there is no such user. A wrong password takes the same work for all of them. */
  check(user: string, password: string, hash: string | undefined): Promise<boolean>;
}

export type ComparePassword = (password: string, hash: string) => Promise<boolean>;

export interface PasswordsOptions {
  /** The highest cost of any user's hash: what a wrong password costs. */
  readonly highestCost?: () => number;
  /** How bcrypt is done, where that is not here. */
  readonly compare?: ComparePassword | undefined;
}

export function createPasswords({
  highestCost = () => USUAL_COST,
  compare: matches = compare,
}: PasswordsOptions = {}): Passwords {
  // The key lives as long as the process: a fingerprint is worth nothing outside of it.
  const key = randomBytes(32);
  const known = new Set<string>();
  const fingerprint = (user: string, password: string, hashed: string) =>
    createHmac('sha256', key)
      .update(JSON.stringify([user, password, hashed]))
      .digest('base64');

  return {
    isKnown: (user, password, hashed) => known.has(fingerprint(user, password, hashed)),
    async check(user, password, hashed) {
      const print = fingerprint(user, password, hashed ?? '');
      if (known.has(print)) return true;
      if (hashed === undefined || !(await matches(password, hashed))) {
        await workOff(matches, password, hashed, highestCost());
        return false;
      }
      known.add(print);
      if (known.size > MAX_KNOWN) known.delete(known.values().next().value ?? '');
      return true;
    },
  };
}

/**
 * Each step of a cost doubles the work, so the work that one hash lacks is that of all the steps in
 * between: afterwards nobody can tell by the time who exists, or how well whose password is kept.
 */
async function workOff(
  matches: ComparePassword,
  password: string,
  hashed: string | undefined,
  highest: number,
): Promise<void> {
  if (hashed === undefined) await matches(password, nobody(highest));
  else
    for (let cost = costOf(hashed); cost < highest; cost += 1)
      await matches(password, nobody(cost));
}

/** The logarithm of a hash's work, as it says itself: `$2b$10$…`. */
export const costOf = (hashed: string): number => Number(hashed.slice(4, 6));

/** What no password is hashed to. */
const nobody = (cost: number): string =>
  `$2b$${String(cost).padStart(2, '0')}$abcdefghijklmnopqrstuu4L2Nn0nC9xUzOOPrtWc8sXIV1GZ1bOe`;

export async function hashPassword(password: string): Promise<string> {
  if (password.length === 0 || truncates(password)) {
    throw new AtollError('INPUT_INVALID', 'Cannot use this password: it is empty or too long', {
      hint: 'Choose one of 1 to 72 bytes',
    });
  }
  return await hash(password, USUAL_COST);
}

const LETTERS = 'abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789';
const GENERATED_LENGTH = 24;

/** A random password without characters that are easily confused. */
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
