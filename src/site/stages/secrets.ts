import {
  readTextIfPresent,
  SECRET_DIRECTORY_MODE,
  SECRET_MODE,
  writeFileAtomic,
} from '../../core/files.ts';
import { registerPullSecret } from '../../core/redact.ts';
import { decodeAuth, type PullSecret, parsePullSecret } from '../../generate/pull-secret.ts';
import type { SitePaths } from '../site-paths.ts';

const SECRET = { mode: SECRET_MODE, directoryMode: SECRET_DIRECTORY_MODE };

export async function writeSecret(path: string, text: string): Promise<void> {
  await writeFileAtomic(path, text, SECRET);
}

/** Makes what earlier runs put here unreadable in logs, also when the stages that did are skipped. */
export async function registerSecrets(paths: SitePaths): Promise<void> {
  for (const path of [paths.upstreamSecret, paths.mirrorSecret, paths.mergedSecret]) {
    const text = await readTextIfPresent(path);
    if (text !== undefined) registerPullSecret(text);
  }
}

/** Puts upstream's and the mirror's credentials into one file, from what is there by now. */
export async function writeMergedSecret(paths: SitePaths): Promise<void> {
  const merged = {
    ...(await authsOf(paths.upstreamSecret)),
    ...(await authsOf(paths.mirrorSecret)),
  };
  await writeSecret(paths.mergedSecret, `${JSON.stringify({ auths: merged })}\n`);
}

async function authsOf(path: string): Promise<PullSecret['auths']> {
  const text = await readTextIfPresent(path);
  if (text === undefined) return {};
  registerPullSecret(text);
  return parsePullSecret(text, `"${path}"`).auths;
}

export async function writeMirrorSecret(
  paths: SitePaths,
  host: string,
  user: string,
  password: string,
): Promise<void> {
  const auth = Buffer.from(`${user}:${password}`).toString('base64');
  const text = `${JSON.stringify({ auths: { [host]: { auth } } })}\n`;
  registerPullSecret(text);
  await writeSecret(paths.mirrorSecret, text);
}

/** The password of a user of the mirror, as `writeMirrorSecret` kept it. */
export async function readMirrorPassword(
  paths: SitePaths,
  host: string,
  user: string,
): Promise<string | undefined> {
  const entry = (await authsOf(paths.mirrorSecret))[host];
  const login = entry && decodeAuth(entry);
  return login?.username === user ? login.password : undefined;
}
