import type { EvidenceLine } from '../evidence.ts';
import { type Comparison, firstMatch, listed } from './comparison.ts';

const REFUSED =
  /\bunauthorized\b|authentication required|\b401\b|no basic auth credentials|unable to retrieve auth token/i;
/** The registry that was asked: of an address, or of an image. */
const ASKED =
  /https?:\/\/(?<url>[\w.-]+(?::\d+)?)\/v2\b|docker:\/\/(?<image>[\w.-]+\.[\w.-]+(?::\d+)?|[\w-]+:\d+)\/|registry (?<name>[\w.-]+:\d+)/;
const AUTHS = /"auths"\s*:/;
const ENTRY = /"(?<host>[\w.-]+(?:\.[\w-]+|:\d+)(?:\/[\w./-]*)?)"\s*:\s*\{/g;

/** The hosts that a file of logins in the text has one for. */
function loginsIn(lines: readonly EvidenceLine[]): readonly string[] {
  const start = lines.findIndex(({ text }) => AUTHS.test(text));
  if (start < 0) return [];
  const hosts = lines
    .slice(start)
    .flatMap(({ text }) => [...text.matchAll(ENTRY)].map(({ groups }) => groups?.host ?? ''));
  return [...new Set(hosts)];
}

/** The registry that refused, and the file of logins that was shown beside it. */
export const storedLogins: Comparison = (lines) => {
  const refused = lines.find(({ text }) => REFUSED.test(text) && ASKED.test(text));
  const { url, image, name } = ASKED.exec(refused?.text ?? '')?.groups ?? {};
  const host = url ?? image ?? name;
  const logins = loginsIn(lines);
  const shown = firstMatch(lines, AUTHS)?.line;
  if (!refused || !host || !shown || logins.length === 0) return undefined;
  if (logins.some((one) => one === host || one.startsWith(`${host}/`))) return undefined;
  const [bare] = host.split(':');
  const near = logins.find((one) => one.split(/[:/]/)[0] === bare);
  const why = near ? ` (${near} is another: host and port must be the same)` : '';
  return {
    id: 'compared-stored-logins',
    cause: `The file of logins has ${listed(logins)}, and none for ${host}, which was asked${why}`,
    remedy: `Add it: "podman login --authfile FILE ${host}", under the very name and port that images are asked by`,
    evidence: [refused, shown],
    decides: /unauthorized|login-refused|pull-secret/,
  };
};
