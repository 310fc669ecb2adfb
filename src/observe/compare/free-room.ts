import type { EvidenceLine } from '../evidence.ts';
import { type Comparison, firstMatch } from './comparison.ts';

const NO_ROOM = /no space left on device|\bENOSPC\b|not enough (?:free )?(?:disk )?space/i;
const PATH = /(?:^|[\s"'`(])(\/[\w.+@-]+(?:\/[\w.+@:-]+)*)/g;
const ROW = /^\S+(?:\s+\S+){3}\s+(?<used>\d{1,3})%\s+(?<mount>\/\S*)\s*$/;
const HEAD_OF_INODES = /\bIUse%/;
const FULL = 98;
const ROOMY = 90;

interface FileSystem {
  readonly mount: string;
  readonly used: number;
  readonly ofInodes: boolean;
  readonly line: EvidenceLine;
}

/** The rows of each "df", by blocks and by inodes. */
function fileSystemsOf(lines: readonly EvidenceLine[]): readonly FileSystem[] {
  let ofInodes = false;
  return lines.flatMap((line) => {
    if (/Use%/.test(line.text)) ofInodes = HEAD_OF_INODES.test(line.text);
    const { used, mount } = ROW.exec(line.text)?.groups ?? {};
    return used && mount ? [{ mount, used: Number(used), ofInodes, line }] : [];
  });
}

const isBelow = (path: string, mount: string): boolean =>
  mount === '/' || path === mount || path.startsWith(`${mount}/`);

/** The path that could not be written, and how full its file system is. */
export const freeRoom: Comparison = (lines) => {
  const refused = firstMatch(lines, NO_ROOM)?.line;
  const all = fileSystemsOf(lines);
  if (!refused || all.length === 0) return undefined;
  const paths = [...refused.text.matchAll(PATH)].map(([, path = '']) => path);
  const concerned = (one: FileSystem) => paths.some((path) => isBelow(path, one.mount));
  const byDepth = all.filter(concerned).toSorted((a, b) => b.mount.length - a.mount.length);
  const own = byDepth.filter(({ mount }) => mount === byDepth[0]?.mount);
  const full = [...own, ...(paths.length === 0 ? all : [])].find(({ used }) => used >= FULL);
  if (full) return told(refused, full, fullText(full), MAKE_ROOM);
  const [roomy] = own;
  const hasRoom = roomy && !roomy.ofInodes && own.every(({ used }) => used < ROOMY);
  return hasRoom && roomy.mount !== '/'
    ? told(refused, roomy, roomText(roomy), LOOK_ELSE)
    : undefined;
};

const fullText = ({ mount, used, ofInodes }: FileSystem): string =>
  ofInodes
    ? `The file system ${mount} has no inodes left (${used} %): too many small files, whatever room there is`
    : `The file system ${mount} is full: df shows ${used} %`;
const roomText = ({ mount, used }: FileSystem): string =>
  `The file system ${mount} has room by df (${used} %), so something else has run out: its inodes, a quota, or a limit of the program`;
const MAKE_ROOM = 'Make room there, enlarge it, or point the work at another file system';
const LOOK_ELSE =
  'Look at "df -i" and at quotas, and at limits of what wrote (watches, namespaces, shared memory)';

const told = (refused: EvidenceLine, one: FileSystem, cause: string, remedy: string) => ({
  id: 'compared-free-room',
  cause,
  remedy,
  evidence: [refused, one.line],
  decides: /disk-full|fill-disk|no-room/,
});
