import type { EvidenceLine } from '../evidence.ts';
import { type Comparison, firstMatch } from './comparison.ts';

const UNKNOWN =
  /lookup (?<name>[\w-]+\.[\w.-]*\w)(?: on \S+)?: no such host|[Cc]ould not resolve host: (?<curl>[\w-]+\.[\w.-]*\w)/;
/** How ping, host, dig and getent tell of an address. */
const FOUND: readonly RegExp[] = [
  /^PING (?<name>[\w.-]+)(?: ?\([\w.-]+\))? ?\((?<address>[\d.a-f:]+)\)/,
  /^(?<name>[\w.-]+) has (?:IPv6 )?address (?<address>[\d.a-f:]+)/,
  /^(?<name>[\w.-]+)\.\s+\d+\s+IN\s+(?:A|AAAA)\s+(?<address>[\d.a-f:]+)/,
  /^(?<address>[\d.]+)\s+(?<name>[\w-]+\.[\w.-]+)\s*$/,
];
const UNIT = /^\s*(?:● )?(?<unit>[\w@.-]+\.service)\b(?!:)/;

const addressIn = (lines: readonly EvidenceLine[], name: string) =>
  lines.flatMap((line) => {
    const found = FOUND.map((form) => form.exec(line.text)?.groups).find((groups) => groups);
    // A name that leads to another is answered with both.
    const isIt = found?.name === name || found?.name?.startsWith(`${name}.`);
    return isIt && found?.address ? [{ line, address: found.address }] : [];
  })[0];

/** A name that was not found, and that the one who looks afterwards finds. */
export const foundNow: Comparison = (lines) => {
  const unknown = firstMatch(lines, UNKNOWN);
  const name = unknown?.match.groups?.name ?? unknown?.match.groups?.curl;
  if (!unknown || !name) return undefined;
  const behind = lines.slice(lines.indexOf(unknown.line) + 1);
  const found = addressIn(behind, name);
  if (!found) return undefined;
  const unit = firstMatch(behind, UNIT)?.match.groups?.unit;
  return {
    id: 'compared-found-now',
    cause: `${name} could not be looked up, and leads to ${found.address} further down: the name servers failed for a while, or who asked asks others (a container, a pod)`,
    remedy: `Start again what failed${unit ? ` ("systemctl restart ${unit}")` : ''}; where it fails anew, compare /etc/resolv.conf of the two`,
    evidence: [unknown.line, found.line],
    decides: /unreachable|unresolved|dns-missing|name-unknown|bypasses/,
  };
};
