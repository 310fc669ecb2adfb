import { type Comparison, firstMatch, listed } from './comparison.ts';

const DENIED = /mount\.nfs4?: .*while mounting \S*?:(?<path>\/[^\s:"]*)/;
/** A row of /etc/exports, "exportfs -v" or "showmount -e". */
const EXPORTED =
  /^\s*(?<path>\/[\w./-]+)\s+(?:[\w.*:/-]+\(|<world>|\(everyone\)|[\d.*]+(?:\/\d+)?\s*$)/;

/** What is asked of an NFS server, and what it exports. */
export const nfsExports: Comparison = (lines) => {
  const denied = firstMatch(lines, DENIED);
  const asked = denied?.match.groups?.path?.replace(/\/$/, '');
  const exports = lines.flatMap((line) => {
    const path = EXPORTED.exec(line.text)?.groups?.path;
    return path ? [{ path, line }] : [];
  });
  if (!denied || !asked || exports.length === 0) return undefined;
  if (exports.some(({ path }) => asked === path || asked.startsWith(`${path.replace(/\/$/, '')}/`)))
    return undefined;
  const paths = [...new Set(exports.map(({ path }) => path))];
  return {
    id: 'compared-nfs-exports',
    cause: `The server exports ${listed(paths)}, and not ${asked}, which is mounted`,
    remedy: `Mount one of the exported paths, or export ${asked} ("/etc/exports", "exportfs -ra")`,
    evidence: [denied.line, ...exports.map(({ line }) => line)],
    decides: /volume-(?:mount|un)|says-access-denied/,
  };
};
