import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { AtollError, systemCodeOf } from '../../core/errors.ts';
import { readText, readTextIfPresent, unreadable } from '../../core/files.ts';
import { formatReference, parseReference, type Reference } from '../../oci/reference.ts';
import {
  type Mirror,
  parseRegistriesFile,
  type RegistriesFile,
  type RegistryRule,
} from './registries-conf-parse.ts';

type Env = Readonly<Record<string, string | undefined>>;

export interface RegistriesConfOptions {
  /** This file and nothing else: no drop-in directories either. */
  readonly registriesConf?: string | undefined;
  readonly env?: Env | undefined;
}

/** All `[[registry]]` tables that count, each prefix once. */
export interface RegistriesConf {
  readonly registries: readonly RegistryRule[];
  /** The files they came from, for error messages. */
  readonly files: readonly string[];
  /** Programs to ask for credentials, where a file says so. */
  readonly credentialHelpers?: readonly string[] | undefined;
}

export interface Endpoint {
  readonly reference: Reference;
  /** Unverified TLS and plain HTTP are allowed here. */
  readonly insecure: boolean;
  readonly mirror: boolean;
}

export interface PullEndpoints {
  /** Where to look for the manifest, in order; the first that has it serves all blobs. */
  readonly endpoints: readonly Endpoint[];
  /** Nothing is left to ask, because every endpoint is blocked. */
  readonly blocked: boolean;
  /** `host/repository` of the endpoints left out because they are blocked. */
  readonly blockedEndpoints: readonly string[];
}

const SYSTEM_FILE = '/etc/containers/registries.conf';
const SYSTEM_DROP_INS = '/etc/containers/registries.conf.d';

/** Reads `registries.conf` and its drop-in directories as the container tools do. */
export async function loadRegistriesConf(
  options: RegistriesConfOptions = {},
): Promise<RegistriesConf> {
  if (options.registriesConf !== undefined) {
    return merge([await readOne(options.registriesConf)]);
  }
  const env = options.env ?? process.env;
  const user = env.HOME ? join(env.HOME, '.config', 'containers') : undefined;
  // All at once, because every run begins with this.
  const systemDropIns = inAdvance(readDropIns(SYSTEM_DROP_INS));
  const userDropIns = inAdvance(user ? readDropIns(join(user, 'registries.conf.d')) : []);
  const main = await readMain(env.CONTAINERS_REGISTRIES_CONF || undefined, user);
  // Who has a file of their own has left the system's configuration behind, drop-ins included.
  const isOwn = user !== undefined && main?.path === join(user, 'registries.conf');
  const dropIns = [...(isOwn ? [] : await systemDropIns), ...(await userDropIns)];
  return merge([...(main ? [main] : []), ...dropIns]);
}

/** Begun before anyone knows whether it is wanted: its failure counts only for those who wait for it. */
function inAdvance<T>(work: Promise<T> | T): Promise<T> {
  const begun = Promise.resolve(work);
  begun.catch(() => undefined);
  return begun;
}

interface Loaded extends RegistriesFile {
  readonly path: string;
}

async function readMain(
  named: string | undefined,
  user: string | undefined,
): Promise<Loaded | undefined> {
  if (named) return await readOne(named);
  const system = inAdvance(readIfPresent(SYSTEM_FILE));
  const own = user && (await readIfPresent(join(user, 'registries.conf')));
  return own || (await system);
}

/** A file that went away since it was listed, or a link to nowhere, is passed over. */
async function readDropIns(directory: string): Promise<Loaded[]> {
  const files = await Promise.all((await listDropIns(directory)).map(readIfPresent));
  return files.filter((file) => file !== undefined);
}

async function readOne(path: string): Promise<Loaded> {
  return { path, ...parseRegistriesFile(path, await readText(path)) };
}

async function readIfPresent(path: string): Promise<Loaded | undefined> {
  const text = await readTextIfPresent(path);
  return text === undefined ? undefined : { path, ...parseRegistriesFile(path, text) };
}

async function listDropIns(directory: string): Promise<string[]> {
  try {
    const entries = await readdir(directory, { withFileTypes: true });
    const names = entries.filter((entry) => !entry.isDirectory() && entry.name.endsWith('.conf'));
    return names.map((entry) => join(directory, entry.name)).toSorted();
  } catch (cause) {
    if (systemCodeOf(cause) === 'ENOENT') return [];
    throw unreadable(directory, cause);
  }
}

/** A later table with the same prefix replaces the whole earlier one: mirrors are not joined. */
function merge(files: readonly Loaded[]): RegistriesConf {
  const byPrefix = new Map<string, RegistryRule>();
  for (const { rules } of files) for (const rule of rules) byPrefix.set(rule.prefix, rule);
  return {
    registries: [...byPrefix.values()],
    files: files.map(({ path }) => path),
    credentialHelpers: files.findLast((file) => file.credentialHelpers)?.credentialHelpers,
  };
}

/** What the rules say about one physical place, `host/repository`, whoever sends us there. */
export function endpointRules(
  conf: RegistriesConf,
  name: string,
): { readonly insecure: boolean; readonly blocked: boolean } {
  const rule = ruleFor(conf, name);
  return { insecure: rule?.insecure ?? false, blocked: rule?.blocked ?? false };
}

/** Where a pull of this reference looks: mirrors in order, then the source, blocked ones left out. */
export function pullEndpoints(conf: RegistriesConf, reference: Reference): PullEndpoints {
  const rule = ruleFor(conf, nameOf(reference));
  const all = rule
    ? rewritten(rule, reference)
    : [{ reference, insecure: false, mirror: false } satisfies Endpoint];
  const isBlocked = (endpoint: Endpoint) => endpointRules(conf, nameOf(endpoint.reference)).blocked;
  const endpoints = all.filter((endpoint) => !isBlocked(endpoint));
  return {
    endpoints,
    blocked: endpoints.length === 0,
    blockedEndpoints: all.filter(isBlocked).map((endpoint) => nameOf(endpoint.reference)),
  };
}

function rewritten(rule: RegistryRule, reference: Reference): Endpoint[] {
  const at = (location: string | undefined, insecure: boolean, mirror: boolean): Endpoint => ({
    reference: rewrite(rule, reference, location),
    insecure,
    mirror,
  });
  const mirrors = rule.mirrors.filter((mirror) => serves(rule, mirror, reference));
  return [
    ...mirrors.map((mirror) => at(mirror.location, mirror.insecure, true)),
    at(rule.location, rule.insecure, false),
  ];
}

/** A reference with a digest counts as digested, whatever tag it also has. */
function serves(rule: RegistryRule, mirror: Mirror, reference: Reference): boolean {
  const digested = reference.digest !== undefined;
  if (mirror.pullFromMirror === 'tag-only') return !digested;
  if (mirror.pullFromMirror === 'digest-only' || rule.mirrorByDigestOnly) return digested;
  return true;
}

function rewrite(rule: RegistryRule, from: Reference, location: string | undefined): Reference {
  // Only a `*.host` prefix may lack a location; then the name stays as it is.
  if (location === undefined) return from;
  const text = formatReference(from);
  try {
    return parseFull(location + text.slice(matchLength(text, rule.prefix)));
  } catch (cause) {
    throw new AtollError('INPUT_INVALID', `Cannot rewrite "${text}" to "${location}"`, {
      hint: `Correct the table with prefix "${rule.prefix}" in "${rule.file}"`,
      cause,
    });
  }
}

/** A location is a host: short names, which mean Docker Hub elsewhere, are a mistake here. */
function parseFull(text: string): Reference {
  const reference = parseReference(text);
  const full = formatReference(reference);
  if (full === text) return reference;
  throw new AtollError('REFERENCE_INVALID', `"${text}" is short for "${full}"`);
}

function nameOf({ registry, repository }: Reference): string {
  return `${registry}/${repository}`;
}

function ruleFor(conf: RegistriesConf, name: string): RegistryRule | undefined {
  let best: RegistryRule | undefined;
  for (const rule of conf.registries) {
    if (isCloser(rule.prefix, best?.prefix ?? '') && matchLength(name, rule.prefix) >= 0)
      best = rule;
  }
  return best;
}

/** The longer one; of `*.b.com` and `a.b.com` the one that comes first in the alphabet. */
function isCloser(prefix: string, other: string): boolean {
  return prefix.length === other.length ? prefix < other : prefix.length > other.length;
}

/** How much of the name the prefix covers, or -1. A match ends at the end or before `/`, `:`, `@`. */
function matchLength(name: string, prefix: string): number {
  const end = prefix.startsWith('*.')
    ? subdomainEnd(name, prefix.slice(1))
    : prefixEnd(name, prefix);
  return end === name.length || '/:@'.includes(name[end] ?? '-') ? end : -1;
}

function prefixEnd(name: string, prefix: string): number {
  return name.startsWith(prefix) ? prefix.length : -1;
}

function subdomainEnd(name: string, suffix: string): number {
  const index = name.indexOf(suffix);
  return index < 0 || name.slice(0, index).includes('/') ? -1 : index + suffix.length;
}
