import { createHmac, timingSafeEqual } from 'node:crypto';
import {
  flag,
  listOf,
  objectOf,
  optional,
  parseJson,
  text,
  wholeNumber,
} from '../../core/shape.ts';
import type { Grant } from './grants.ts';

/** What a token of `/token` says. It is signed and not secret, and holds for minutes. */
export interface BearerClaims {
  /** Undefined for an anonymous client. */
  readonly user?: string | undefined;
  /** Of the robot's token it was made with. */
  readonly robot?: string | undefined;
  /** Stands for the password it was made with: when that changes it is worth nothing. */
  readonly print?: string | undefined;
  readonly grants: readonly Grant[];
  /** Unix time. */
  readonly expires: number;
}

const sign = (key: string, payload: string) =>
  createHmac('sha256', key).update(payload).digest('base64url');

export function signBearer(key: string, claims: BearerClaims): string {
  const payload = Buffer.from(JSON.stringify(claims)).toString('base64url');
  return `${payload}.${sign(key, payload)}`;
}

const claimsShape = objectOf({
  user: optional(text),
  robot: optional(text),
  print: optional(text),
  grants: listOf(objectOf({ role: text, prefix: text, exact: optional(flag) })),
  expires: wholeNumber,
});
const isClaims = (value: unknown): value is BearerClaims => claimsShape(value) === undefined;

/** Undefined for what this key did not sign; when it expires is for the caller to look at. */
export function readBearer(key: string, token: string): BearerClaims | undefined {
  const [payload = '', signature = '', ...rest] = token.split('.');
  const [given, right] = [Buffer.from(signature), Buffer.from(sign(key, payload))];
  if (rest.length > 0 || given.length !== right.length || !timingSafeEqual(given, right))
    return undefined;
  const claims = parseJson(Buffer.from(payload, 'base64url').toString());
  return isClaims(claims) ? claims : undefined;
}

/** Tells one password hash from the next without saying anything about it. */
export function printOf(key: string, hash: string): string {
  return sign(key, hash).slice(0, 16);
}
