import type { EvidenceLine } from '../evidence.ts';
import type { Comparison } from './comparison.ts';

/** A record of a zone whose name has dots, and none at its end. */
const RECORD =
  /^\s*(?<name>[a-z*][\w-]{0,62}(?:\.[\w-]{1,63}){2,8})\s+(?:\d+\s+)?(?:IN\s+)?(?:A|AAAA|CNAME|PTR|NS)\s+\S/i;
const NAMES = /(?<![\w.-])[\w-]{1,63}(?:\.[\w-]{1,63}){4,12}/g;

/** Whether a name is one of a zone with the domain of the zone behind it again. */
function isDoubled(long: string, name: string): boolean {
  const rest = long.startsWith(`${name}.`) ? long.slice(name.length) : '';
  return rest.split('.').length > 2 && name.endsWith(rest);
}

const doubledIn = (lines: readonly EvidenceLine[], name: string) =>
  lines.flatMap((line) => {
    const long = (line.text.match(NAMES) ?? []).find((one) => isDoubled(one, name));
    return long === undefined ? [] : [{ line, long }];
  })[0];

/** To a name without a dot at its end a zone adds its own domain. */
export const doubledDomain: Comparison = (lines) => {
  for (const record of lines) {
    const name = RECORD.exec(record.text)?.groups?.name;
    const doubled = name === undefined ? undefined : doubledIn(lines, name);
    if (!name || !doubled) continue;
    return {
      id: 'compared-doubled-domain',
      cause: `The zone has the full name ${name} without a dot at its end, so it adds its domain again: ${doubled.long}`,
      remedy:
        'Give short host names in what the zone is made from (variables of the playbook), or end full ones with a dot; then reload it',
      evidence: [record, doubled.line],
      decides: /dns|name-unknown|says-itself/,
    };
  }
  return undefined;
};
