import { join } from 'node:path';
import { AtollError } from '../../core/errors.ts';
import { readText, readTextIfPresent } from '../../core/files.ts';
import { type AuthFile, parseAuthFile } from './auth-file-parse.ts';
import { askCredentialHelper, type Credential } from './credential-helper.ts';

export type { Credential } from './credential-helper.ts';

type Env = Readonly<Record<string, string | undefined>>;

export interface AuthFileOptions {
  /** Auth file that wins over all others: no other is read. */
  readonly authfile?: string | undefined;
  /** Programs to ask, in order, as registries.conf lists them; without any, the auth files alone. */
  readonly credentialHelpers?: readonly string[] | undefined;
  readonly env?: Env | undefined;
}

/** How registries.conf calls the auth files among its helpers. */
const AUTH_FILES = 'containers-auth.json';

export interface AuthLookup {
  /** The credential for `registry/repository`, or undefined to go without. */
  credentialFor(registry: string, repository: string): Promise<Credential | undefined>;
}

/** Reads the auth files in the order of the container tools; the first that knows a registry wins. */
export async function loadAuthFiles(options: AuthFileOptions = {}): Promise<AuthLookup> {
  const env = options.env ?? process.env;
  const named = options.authfile ?? (env.REGISTRY_AUTH_FILE || undefined);
  const files = named === undefined ? usualFiles(env) : [await namedFile(named)];
  const asked = new Map<string, Promise<Credential | undefined>>();
  const ask = (helper: string, server: string) => {
    const key = `${helper} ${server}`;
    const answer = asked.get(key) ?? askCredentialHelper(helper, server, env);
    asked.set(key, answer);
    return answer;
  };
  const inFiles = async (registry: string, repository: string) => {
    for (const read of files) {
      const file = await read();
      const found = file && (await findIn(file, registry, repository, ask));
      if (found) return found;
    }
    return undefined;
  };
  const helpers = options.credentialHelpers?.length ? options.credentialHelpers : [AUTH_FILES];
  return {
    credentialFor: (registry, repository) =>
      firstOf(helpers, (helper) =>
        helper === AUTH_FILES ? inFiles(registry, repository) : firstAnswer(helper, registry, ask),
      ),
  };
}

/** A helper that fails does not matter if another one has the credential. */
async function firstOf(
  helpers: readonly string[],
  look: (helper: string) => Promise<Credential | undefined>,
): Promise<Credential | undefined> {
  const failures: unknown[] = [];
  for (const helper of helpers) {
    const found = await look(helper).catch((error: unknown) => void failures.push(error));
    if (found) return found;
  }
  if (failures.length > 0) throw failures[0];
  return undefined;
}

type ReadAuthFile = () => Promise<AuthFile | undefined>;

async function namedFile(path: string): Promise<ReadAuthFile> {
  const file = parseAuthFile(path, await readText(path));
  return async () => file;
}

/** A file is read only when those before it lack the credential: an unneeded one may be broken. */
function usualFiles(env: Env): ReadAuthFile[] {
  return usualPaths(env).map(({ path, legacy }) => {
    let reading: Promise<AuthFile | undefined> | undefined;
    return () => {
      reading ??= readTextIfPresent(path).then((text) =>
        text === undefined ? undefined : parseAuthFile(path, text, legacy),
      );
      return reading;
    };
  });
}

function usualPaths(env: Env): { path: string; legacy?: boolean }[] {
  const runtime = env.XDG_RUNTIME_DIR
    ? join(env.XDG_RUNTIME_DIR, 'containers')
    : `/run/containers/${process.getuid?.() ?? 0}`;
  const inHome = (...parts: string[]) => (env.HOME ? join(env.HOME, ...parts) : undefined);
  const config = env.XDG_CONFIG_HOME || inHome('.config');
  const docker = env.DOCKER_CONFIG || inHome('.docker');
  const legacy = inHome('.dockercfg');
  // Where "helm registry login" writes: charts lie in registries, too.
  const helm = env.HELM_REGISTRY_CONFIG || (config && join(config, 'helm/registry/config.json'));
  return [
    { path: join(runtime, 'auth.json') },
    ...(config ? [{ path: join(config, 'containers', 'auth.json') }] : []),
    ...(docker ? [{ path: join(docker, 'config.json') }] : []),
    ...(legacy ? [{ path: legacy, legacy: true }] : []),
    ...(helm ? [{ path: helm }] : []),
  ];
}

type Ask = (helper: string, server: string) => Promise<Credential | undefined>;

async function findIn(
  file: AuthFile,
  registry: string,
  repository: string,
  ask: Ask,
): Promise<Credential | undefined> {
  const helper = file.credHelpers.get(registry) ?? file.credHelpers.get(normalHost(registry));
  if (helper) return await firstAnswer(helper, registry, ask);
  const entry = entryFor(file, registry, repository);
  if (entry || !file.credsStore) return entry;
  return await firstAnswer(file.credsStore, registry, ask).catch(unlessMissing);
}

/**
 * A store is Docker's word for every registry, public ones too; the other container tools pass over
 * it, so where it is not installed there is simply no credential in it.
 */
function unlessMissing(error: unknown): undefined {
  if (error instanceof AtollError && error.code === 'PROGRAM_MISSING') return undefined;
  throw error;
}

/** Docker Hub is known to helpers by the URL of its first API. */
async function firstAnswer(helper: string, registry: string, ask: Ask) {
  const isHub = normalHost(registry) === DOCKER_HUB;
  const servers = isHub ? [`https://${DOCKER_HUB}/v1/`, registry] : [registry];
  for (const server of servers) {
    const answer = await ask(helper, server);
    if (answer) return answer;
  }
  return undefined;
}

/**
 * `host/org/repo`, then `host/org`, then `host`; last, keys written as URLs. An empty entry ends the
 * search too: `"quay.io/org": {}` is how a file keeps the credential of `quay.io` from it.
 */
function entryFor(file: AuthFile, registry: string, repository: string): Credential | undefined {
  const parts = file.legacy ? [] : repository.split('/').filter(Boolean);
  for (let length = parts.length; length >= 0; length -= 1) {
    const key = [registry, ...parts.slice(0, length)].join('/');
    if (file.auths.has(key)) return file.auths.get(key);
  }
  const wanted = normalHost(registry);
  for (const [key, credential] of file.auths) {
    if (credential && hostOfKey(key, file.legacy) === wanted) return credential;
  }
  return undefined;
}

const DOCKER_HUB = 'index.docker.io';

function normalHost(host: string): string {
  return host === 'docker.io' || host === 'registry-1.docker.io' ? DOCKER_HUB : host;
}

/** Keys may be URLs (`https://index.docker.io/v1/`); only then is the path dropped. */
function hostOfKey(key: string, legacy: boolean): string {
  const bare = key.replace(/^https?:\/\//, '');
  const isUrl = bare !== key;
  return normalHost(isUrl || legacy ? (bare.split('/')[0] ?? bare) : bare);
}
