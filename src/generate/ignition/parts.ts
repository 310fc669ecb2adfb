import { byText } from '../../core/order.ts';
import type {
  DirectoryEntry,
  DiskEntry,
  FileEntry,
  FilesystemEntry,
  GroupEntry,
  IgnitionConfig,
  IgnitionVersion,
  LinkEntry,
  UnitEntry,
  UserEntry,
} from './config.ts';

/** What one feature of a machine adds to its config. Parts are independent and add up. */
export interface IgnitionPart {
  readonly users?: readonly UserEntry[];
  readonly groups?: readonly GroupEntry[];
  readonly disks?: readonly DiskEntry[];
  readonly filesystems?: readonly FilesystemEntry[];
  readonly directories?: readonly DirectoryEntry[];
  readonly files?: readonly FileEntry[];
  readonly links?: readonly LinkEntry[];
  readonly units?: readonly UnitEntry[];
}

/** One config from many parts. Lists are sorted and empty ones left out, so order never matters. */
export function ignitionFrom(
  version: IgnitionVersion,
  parts: readonly IgnitionPart[],
): IgnitionConfig {
  const passwd = {
    ...list('groups', collect(parts, 'groups', 'name')),
    ...list('users', collect(parts, 'users', 'name')),
  };
  const storage = {
    ...list('disks', collect(parts, 'disks', 'device')),
    ...list('filesystems', collect(parts, 'filesystems', 'device')),
    ...list('directories', collect(parts, 'directories', 'path')),
    ...list('files', collect(parts, 'files', 'path')),
    ...list('links', collect(parts, 'links', 'path')),
  };
  const systemd = list('units', collect(parts, 'units', 'name'));
  return {
    ignition: { version },
    ...(Object.keys(passwd).length > 0 ? { passwd } : {}),
    ...(Object.keys(storage).length > 0 ? { storage } : {}),
    ...(Object.keys(systemd).length > 0 ? { systemd } : {}),
  };
}

/** Equal entries of several parts (a shared user, a shared directory) become one. */
function collect<K extends keyof IgnitionPart>(
  parts: readonly IgnitionPart[],
  key: K,
  id: string,
): NonNullable<IgnitionPart[K]>[number][] {
  const all = parts.flatMap((part) => [...(part[key] ?? [])]) as NonNullable<
    IgnitionPart[K]
  >[number][];
  const unique = new Map(all.map((entry) => [JSON.stringify(entry), entry]));
  const nameOf = (entry: object) => String((entry as Record<string, unknown>)[id]);
  return [...unique.entries()]
    .toSorted(([a, x], [b, y]) => byText(nameOf(x), nameOf(y)) || byText(a, b))
    .map(([, entry]) => entry);
}

function list<T>(key: string, entries: readonly T[]): Record<string, readonly T[]> {
  return entries.length > 0 ? { [key]: entries } : {};
}
