import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import * as z from 'zod';
import type { Context } from '../../core/context.ts';
import { AtollError } from '../../core/errors.ts';
import { readTextIfPresent, SECRET_MODE, writeFileAtomic } from '../../core/files.ts';
import { withLock } from '../../core/lock.ts';
import { by } from '../../core/order.ts';
import { registerCredential } from '../../core/redact.ts';
import { parseJson } from '../../core/shape.ts';
import { type Grant, grantSchema } from './grants.ts';
import { isUserName } from './htpasswd.ts';

// The file of tokens, 0600:
//
//   key      signs what `/token` hands out; whoever has it can be anybody
//   robots   long-lived tokens; of the secret itself only a hash is kept. A secret has 190 random
//            bits, so nobody can guess it and a fast hash will do.

const robot = z.object({
  id: z.string(),
  name: z.string(),
  hash: z.string(),
  grants: z.array(grantSchema),
  createdAt: z.string(),
  expiresAt: z.string().optional(),
});
const schema = z.object({ key: z.string().min(32), robots: z.array(robot) });

export type Robot = z.output<typeof robot>;
export type TokenFile = z.output<typeof schema>;

const TOKEN = /^atr_(?<id>[0-9a-f]{12})_(?<secret>[A-Za-z0-9_-]{32})$/;
const hashOf = (secret: string) => createHash('sha256').update(secret).digest('hex');

export function parseTokens(path: string, text: string): TokenFile {
  const parsed = schema.safeParse(parseJson(text));
  if (parsed.success) return parsed.data;
  throw new AtollError('INPUT_INVALID', `Cannot read "${path}": it is no file of tokens`, {
    hint: 'Restore it, or remove it and make tokens anew with "atoll registry token create"',
    details: { path },
  });
}

/** Undefined where the text is no robot's token of ours at all. */
export function robotOf({ robots }: TokenFile, token: string): Robot | 'wrong' | undefined {
  const { id, secret = '' } = TOKEN.exec(token)?.groups ?? {};
  if (id === undefined) return undefined;
  const found = robots.find((each) => each.id === id);
  const given = Buffer.from(hashOf(secret));
  const kept = Buffer.from(found?.hash ?? hashOf(''));
  return timingSafeEqual(given, kept) && found ? found : 'wrong';
}

export const isExpired = ({ expiresAt }: Pick<Robot, 'expiresAt'>, now: Date): boolean =>
  expiresAt !== undefined && Date.parse(expiresAt) <= now.getTime();

/** Makes the file when there is none: what `/token` signs with has to be the same for all processes. */
export async function ensureTokens(ctx: Context, path: string): Promise<void> {
  if ((await readTextIfPresent(path)) === undefined) await change(ctx, path, () => undefined);
}

export async function listRobots(path: string): Promise<readonly Robot[]> {
  const text = await readTextIfPresent(path);
  return text === undefined ? [] : parseTokens(path, text).robots.toSorted(by(({ name }) => name));
}

export interface NewRobot {
  readonly name: string;
  readonly grants: readonly Grant[];
  readonly lifeMs?: number | undefined;
}

/** The token itself, which nobody can be shown again. */
export async function createRobot(
  ctx: Context,
  path: string,
  { name, grants, lifeMs }: NewRobot,
): Promise<{
  readonly id: string;
  readonly token: string;
  readonly expiresAt: string | undefined;
}> {
  if (!isUserName(name)) throw invalid(`Cannot use "${name}" as the name of a token`);
  const now = ctx.now().getTime();
  const id = randomBytes(6).toString('hex');
  const secret = randomBytes(24).toString('base64url');
  const token = `atr_${id}_${secret}`;
  registerCredential(name, token);
  const expiresAt = lifeMs === undefined ? undefined : new Date(now + lifeMs).toISOString();
  await change(ctx, path, ({ robots }) => {
    if (robots.some((each) => each.name === name && !isExpired(each, ctx.now())))
      throw invalid(`Cannot make the token "${name}": there is one`);
    const createdAt = new Date(now).toISOString();
    robots.push({ id, name, hash: hashOf(secret), grants: [...grants], createdAt, expiresAt });
  });
  return { id, token, expiresAt };
}

/** By name or id; returns how many there were. */
export async function revokeRobot(ctx: Context, path: string, name: string): Promise<number> {
  let revoked = 0;
  await change(ctx, path, ({ robots }) => {
    const kept = robots.filter((each) => each.name !== name && each.id !== name);
    revoked = robots.length - kept.length;
    robots.splice(0, robots.length, ...kept);
  });
  if (revoked > 0) return revoked;
  throw invalid(`Cannot find the token "${name}"`);
}

async function change(ctx: Context, path: string, edit: (file: TokenFile) => void): Promise<void> {
  await withLock(ctx, `${path}.lock`, {}, async () => {
    const text = await readTextIfPresent(path);
    const file =
      text === undefined
        ? { key: randomBytes(32).toString('base64url'), robots: [] }
        : parseTokens(path, text);
    edit(file);
    await writeFileAtomic(path, `${JSON.stringify(file, null, 2)}\n`, { mode: SECRET_MODE });
  });
}

function invalid(message: string): AtollError {
  const hint = 'See "atoll registry token list"; names have letters, digits, ".", "_", "@" and "-"';
  return new AtollError('INPUT_INVALID', message, { hint });
}
