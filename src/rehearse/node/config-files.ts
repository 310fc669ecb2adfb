import { type Dirent, readdir } from 'node:fs';
import { basename, extname, join } from 'node:path';
import { promisify } from 'node:util';
import { AtollError } from '../../core/errors.ts';
import { unreadable } from '../../core/files.ts';

/** Files of generated configuration, by what they are. */
export interface ConfigFiles {
  readonly registriesConf: readonly string[];
  readonly mirrorSets: readonly string[];
  readonly installConfig?: string | undefined;
  readonly pullSecret?: string | undefined;
  readonly trustBundles: readonly string[];
  readonly hosts?: string | undefined;
  readonly policy?: string | undefined;
  readonly certsDir?: string | undefined;
  /** YAML and JSON of any kind: cluster objects that may name images. */
  readonly manifests: readonly string[];
}

export const NO_FILES: ConfigFiles = {
  registriesConf: [],
  mirrorSets: [],
  trustBundles: [],
  manifests: [],
};

type Kind = Exclude<keyof ConfigFiles, 'certsDir' | 'mirrorSets'>;

/** By the names that `atoll render`, the installer and nodes use. */
const BY_NAME: readonly (readonly [RegExp, Kind])[] = [
  [/^registries\.conf$/, 'registriesConf'],
  [/^install-config\.ya?ml$/, 'installConfig'],
  [/^(pull-?secret.*\.(json|txt)|auth\.json|config\.json)$/, 'pullSecret'],
  [/^(ca|ca-bundle|(additional-)?trust-bundle)\.(crt|pem)$/, 'trustBundles'],
  [/^hosts$/, 'hosts'],
  [/^policy\.json$/, 'policy'],
  [/\.(ya?ml|json)$/, 'manifests'],
];

const LIST_KINDS = ['registriesConf', 'trustBundles', 'manifests'] as const;
const SINGLE_KINDS = ['installConfig', 'pullSecret', 'hosts', 'policy'] as const;

/** What a folder of generated configuration holds. Two candidates for one part are an error. */
export async function findConfigFiles(folder: string): Promise<ConfigFiles> {
  const found = new Map<Kind, string[]>();
  const certsDirs: string[] = [];
  for (const path of await filesBelow(folder, certsDirs)) {
    const kind = BY_NAME.find(([pattern]) => pattern.test(basename(path)))?.[1];
    if (kind) found.set(kind, [...(found.get(kind) ?? []), path]);
  }
  const lists = LIST_KINDS.map((kind) => [kind, found.get(kind) ?? []]);
  const singles = SINGLE_KINDS.map((kind) => [kind, onlyOne(folder, kind, found.get(kind) ?? [])]);
  return {
    ...NO_FILES,
    ...Object.fromEntries([...lists, ...singles]),
    certsDir: certsDirs[0],
  };
}

async function filesBelow(folder: string, certsDirs: string[]): Promise<string[]> {
  const paths: string[] = [];
  for (const entry of await entriesOf(folder)) {
    const path = join(folder, entry.name);
    if (entry.isDirectory() && entry.name === 'certs.d') certsDirs.push(path);
    else if (entry.isDirectory()) paths.push(...(await filesBelow(path, certsDirs)));
    else if (extname(path) !== '.tmp') paths.push(path);
  }
  return paths.toSorted();
}

async function entriesOf(folder: string): Promise<Dirent[]> {
  try {
    return await promisify(readdir)(folder, { withFileTypes: true });
  } catch (cause) {
    throw unreadable(folder, cause);
  }
}

function onlyOne(folder: string, kind: Kind, paths: readonly string[]): string | undefined {
  if (paths.length <= 1) return paths[0];
  throw new AtollError(
    'INPUT_INVALID',
    `Cannot rehearse "${folder}": it holds ${paths.length} files that could be the ${WORDS[kind] ?? kind}: ${paths.join(', ')}`,
    { hint: 'Name the right one with its flag instead of the folder' },
  );
}

const WORDS: Partial<Record<Kind, string>> = {
  installConfig: 'install-config',
  pullSecret: 'pull secret',
  hosts: 'hosts file',
};

/** Files named on the command line win over those of folders; lists are joined. */
export function joinFiles(parts: readonly ConfigFiles[]): ConfigFiles {
  const all = <K extends 'registriesConf' | 'mirrorSets' | 'trustBundles' | 'manifests'>(kind: K) =>
    parts.flatMap((part) => part[kind]);
  const first = (kind: 'installConfig' | 'pullSecret' | 'hosts' | 'policy' | 'certsDir') =>
    parts.map((part) => part[kind]).find((path) => path !== undefined);
  return {
    registriesConf: all('registriesConf'),
    mirrorSets: all('mirrorSets'),
    trustBundles: all('trustBundles'),
    manifests: all('manifests'),
    installConfig: first('installConfig'),
    pullSecret: first('pullSecret'),
    hosts: first('hosts'),
    policy: first('policy'),
    certsDir: first('certsDir'),
  };
}
