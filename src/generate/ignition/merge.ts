import { AtollError } from '../../core/errors.ts';
import { isObject, type PlainObject as Json } from '../../core/shape.ts';
import { IGNITION_VERSIONS, type IgnitionConfig } from './config.ts';
import { newerVersion } from './versions.ts';

/** How the entries of each list are told apart; the rest of the lists are joined. */
const KEYS: Readonly<Record<string, string>> = {
  files: 'path',
  directories: 'path',
  links: 'path',
  filesystems: 'device',
  disks: 'device',
  luks: 'name',
  raid: 'name',
  users: 'name',
  groups: 'name',
  units: 'name',
  dropins: 'name',
};

/** Entries that make sense only as a whole: half of one file and half of another is neither. */
const WHOLE = new Set(['files', 'directories', 'links', 'replace']);

/**
 * Lays one config over another: entries of the same path or name are replaced, units and users
 * are joined field by field, keys and drop-ins add up. The newer spec version is kept.
 */
export function mergeIgnition(base: IgnitionConfig, overlay: IgnitionConfig): IgnitionConfig {
  const cleared = withoutPaths(base, pathsOf(overlay));
  const merged = mergeObjects(cleared as unknown as Json, overlay as unknown as Json);
  const version = newerVersion(base.ignition.version, overlay.ignition.version);
  const ignition = { ...(merged.ignition as Json), version };
  checkKernelArguments(version, merged);
  return { ...merged, ignition } as unknown as IgnitionConfig;
}

function mergeObjects(base: Json, overlay: Json): Json {
  const result: Record<string, unknown> = { ...base };
  for (const [key, value] of Object.entries(overlay)) {
    result[key] = key in base ? mergeValues(key, base[key], value) : value;
  }
  return result;
}

function mergeValues(key: string, base: unknown, overlay: unknown): unknown {
  if (Array.isArray(base) && Array.isArray(overlay)) return mergeLists(key, base, overlay);
  if (isObject(base) && isObject(overlay) && !WHOLE.has(key)) return mergeObjects(base, overlay);
  return overlay;
}

function mergeLists(key: string, base: readonly unknown[], overlay: readonly unknown[]): unknown[] {
  const field = KEYS[key];
  if (field === undefined) return joinPlain(base, overlay);
  const entries = new Map(base.map((entry) => [(entry as Json)[field], entry]));
  for (const entry of overlay) {
    const id = (entry as Json)[field];
    const earlier = WHOLE.has(key) ? undefined : entries.get(id);
    entries.set(id, earlier ? mergeObjects(earlier as Json, entry as Json) : entry);
  }
  return [...entries.values()];
}

function joinPlain(base: readonly unknown[], overlay: readonly unknown[]): unknown[] {
  const known = new Set(base.map((entry) => JSON.stringify(entry)));
  return [...base, ...overlay.filter((entry) => !known.has(JSON.stringify(entry)))];
}

/** A path that was a link and becomes a file may stand in one list only. */
function withoutPaths(config: IgnitionConfig, paths: ReadonlyMap<string, string>): IgnitionConfig {
  if (!config.storage) return config;
  const keep = (list: string) => (entry: { path: string }) =>
    (paths.get(entry.path) ?? list) === list;
  const { files, directories, links } = config.storage;
  const storage = {
    ...config.storage,
    ...(directories ? { directories: directories.filter(keep('directories')) } : {}),
    ...(files ? { files: files.filter(keep('files')) } : {}),
    ...(links ? { links: links.filter(keep('links')) } : {}),
  };
  return { ...config, storage };
}

function pathsOf(config: IgnitionConfig): Map<string, string> {
  const { files = [], directories = [], links = [] } = config.storage ?? {};
  const lists = Object.entries({ files, directories, links });
  return new Map(lists.flatMap(([list, all]) => all.map(({ path }) => [path, list] as const)));
}

function checkKernelArguments(version: string, config: Json): void {
  if (!('kernelArguments' in config) || newerVersion(version, IGNITION_VERSIONS[1]) === version) {
    return;
  }
  throw new AtollError('INPUT_INVALID', `Cannot set kernel arguments with Ignition ${version}`, {
    hint: 'Ask for spec 3.3.0 or newer',
  });
}
