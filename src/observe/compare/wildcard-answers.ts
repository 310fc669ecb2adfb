import type { EvidenceLine } from '../evidence.ts';
import { type Comparison, firstMatch } from './comparison.ts';

/** Which address a machine asked for api-int. */
const ASKED =
  /https:\/\/(?<name>api-int\.[\w.-]+):\d+\S*: dial tcp (?<address>\d{1,3}(?:\.\d{1,3}){3}):\d+/;
/** A wildcard record of a zone, as it stands there or as "grep -n" shows it. */
const WILDCARD = /^(?:\d+:)?\*(?:\.[\w.-]+)?\s+(?:\d+\s+)?(?:IN\s+)?A\s+(?<address>[\d.]+)/i;
/** A name that cannot be there, asked for to see what a wildcard answers. */
const PROBED =
  /\b(?:dig|host|nslookup|getent hosts)\b.*\b(?:does-?not-?exist|no-?such|nonexist\w*|random\w*|foobar|nope|whatever)[\w-]*\./;

/** The line of the wildcard that has this address. */
const wildcardOf = (lines: readonly EvidenceLine[], address: string): EvidenceLine | undefined =>
  lines.find(({ text }) => WILDCARD.exec(text)?.groups?.address === address) ??
  lines.find(({ text }, at) => text.trim() === address && PROBED.test(lines[at - 1]?.text ?? ''));

/** A record that was forgotten is not missed where a wildcard answers for it, with the address of something else. */
export const wildcardAnswers: Comparison = (lines) => {
  const asked = firstMatch(lines, ASKED);
  const { name = '', address = '' } = asked?.match.groups ?? {};
  const wildcard = address === '' ? undefined : wildcardOf(lines, address);
  if (!asked || !wildcard) return undefined;
  return {
    id: 'compared-wildcard-answers',
    causeId: 'api-int-dns-missing',
    cause: `${name} has no record of its own: a wildcard answers for it with ${address}, which is another machine`,
    remedy:
      'Add api-int with the address of the load balancer (as api has it) to the zone that the machines ask, and keep the wildcard below apps.<cluster>',
    evidence: [asked.line, wildcard],
    decides: /machine-config-server|mcs-|lb-not-forwarding|says-/,
  };
};
