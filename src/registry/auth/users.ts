import type { Context } from '../../core/context.ts';
import { AtollError } from '../../core/errors.ts';
import { readText, readTextIfPresent, SECRET_MODE, writeFileAtomic } from '../../core/files.ts';
import { withLock } from '../../core/lock.ts';
import { registerCredential } from '../../core/redact.ts';
import {
  formatGrant,
  formatGrants,
  type Grant,
  type GrantsByUser,
  grantsOf,
  parseGrants,
} from './grants.ts';
import { formatHtpasswd, isUserName, parseHtpasswd } from './htpasswd.ts';
import { hashPassword } from './passwords.ts';

export interface UserPaths {
  readonly htpasswd: string;
  readonly grants: string | undefined;
}

export interface User {
  readonly name: string;
  readonly grants: readonly Grant[];
}

interface UserData {
  readonly hashes: Map<string, string>;
  readonly grants: Record<string, readonly Grant[]>;
}

export async function listUsers(paths: UserPaths): Promise<readonly User[]> {
  const { hashes, grants } = await read(paths);
  return [...hashes.keys()]
    .toSorted()
    .map((name) => ({ name, grants: grantsOf(grants as GrantsByUser, name) }));
}

export interface NewUser {
  readonly name: string;
  readonly password: string;
  readonly grants: readonly Grant[];
}

export async function addUser(ctx: Context, paths: UserPaths, user: NewUser): Promise<void> {
  if (!isUserName(user.name)) throw badName(user.name);
  if (paths.grants === undefined && !isDefault(user.grants)) throw nowhereToWrite(user);
  registerCredential(user.name, user.password);
  const hash = await hashPassword(user.password);
  await change(ctx, paths, ({ hashes, grants }) => {
    if (hashes.has(user.name)) throw exists(user.name);
    hashes.set(user.name, hash);
    grants[user.name] = user.grants;
  });
}

export interface ImportedUsers {
  readonly added: readonly string[];
  /** Those of that name here stay as they are. */
  readonly kept: readonly string[];
}

/** Takes users over from the htpasswd file of another registry, with the passwords they have. */
export async function importUsers(
  ctx: Context,
  paths: UserPaths,
  from: string,
  grants: readonly Grant[],
): Promise<ImportedUsers> {
  const found = parseHtpasswd(from, await readText(from));
  const [added, kept]: [string[], string[]] = [[], []];
  await change(ctx, paths, (data) => {
    for (const [name, hash] of found) {
      if (!isUserName(name)) throw badName(name);
      if (data.hashes.has(name)) kept.push(name);
      else {
        data.hashes.set(name, hash);
        data.grants[name] = grants;
        added.push(name);
      }
    }
  });
  return { added, kept };
}

export async function setPassword(
  ctx: Context,
  paths: UserPaths,
  name: string,
  password: string,
): Promise<void> {
  registerCredential(name, password);
  const hash = await hashPassword(password);
  await change(ctx, paths, ({ hashes }) => {
    if (!hashes.has(name)) throw unknown(name, [...hashes.keys()]);
    hashes.set(name, hash);
  });
}

export async function removeUser(ctx: Context, paths: UserPaths, name: string): Promise<void> {
  await change(ctx, paths, ({ hashes, grants }) => {
    if (!hashes.delete(name)) throw unknown(name, [...hashes.keys()]);
    delete grants[name];
  });
}

async function read({ htpasswd, grants }: UserPaths): Promise<UserData> {
  const users = parseHtpasswd(htpasswd, (await readTextIfPresent(htpasswd)) ?? '');
  const text = grants === undefined ? undefined : await readTextIfPresent(grants);
  const known = grants === undefined || text === undefined ? {} : parseGrants(grants, text);
  return { hashes: new Map(users), grants: { ...known } };
}

/** Two commands at once must not lose each other's change. */
async function change(
  ctx: Context,
  paths: UserPaths,
  edit: (data: UserData) => void,
): Promise<void> {
  await withLock(ctx, `${paths.htpasswd}.lock`, {}, async () => {
    const data = await read(paths);
    edit(data);
    // Grants first: a user must not exist for a moment with more than was meant.
    if (paths.grants !== undefined) {
      await writeFileAtomic(paths.grants, formatGrants(data.grants), { mode: SECRET_MODE });
    }
    await writeFileAtomic(paths.htpasswd, formatHtpasswd(data.hashes), { mode: SECRET_MODE });
  });
}

function badName(name: string): AtollError {
  return new AtollError('INPUT_INVALID', `Cannot use "${name}" as the name of a user`, {
    hint: 'Use up to 64 letters, digits, ".", "_", "@" and "-", starting with a letter or digit',
  });
}

/** Without a file for grants everybody may pull everything, and nothing else can be said. */
const isDefault = (grants: readonly Grant[]) => grants.map(formatGrant).join() === 'pull';

function nowhereToWrite({ name, grants }: NewUser): AtollError {
  const wanted = grants.map(formatGrant).join(', ') || 'nothing';
  return new AtollError(
    'INPUT_INVALID',
    `Cannot grant "${name}" ${wanted}: there is no file of grants`,
    {
      hint: 'Add "grants: grants.yaml" to "auth" in the configuration; without it every user may pull',
    },
  );
}

function exists(name: string): AtollError {
  return new AtollError('INPUT_INVALID', `Cannot add "${name}": there is such a user`, {
    hint: 'Change the password with "atoll registry user passwd", or remove the user first',
  });
}

function unknown(name: string, known: readonly string[]): AtollError {
  return new AtollError('INPUT_INVALID', `Cannot find the user "${name}"`, {
    hint: known.length > 0 ? `There are: ${known.join(', ')}` : 'There are no users yet',
  });
}
