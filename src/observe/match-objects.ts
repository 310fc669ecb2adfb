import type { EvidenceLine, EvidencePlace } from './evidence.ts';
import type { ApiObject } from './formats/objects.ts';
import type { RuleMatch } from './match-line.ts';
import type { Rule } from './rules/catalogue.ts';
import { objectMatches } from './rules/object-test.ts';

interface Waiting {
  readonly rule: Rule;
  readonly object: ApiObject;
  readonly place: EvidencePlace;
}

const MAX_WAITING = 20_000;
const NEVER = new Date(8.64e15);
const TIME = /"((?:19|20)\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z)"/g;

/**
 * Rules that look at objects. How old something is can only be told when all was read: the evidence ends with the
 * newest time in it, in lines or in objects.
 */
export function createObjectMatcher(rules: readonly Rule[]) {
  const waiting: Waiting[] = [];
  let end = 0;
  const noteTime = (at: Date): void => {
    if (at.getTime() > end) end = at.getTime();
  };
  return {
    noteTime,
    push(object: ApiObject, place: EvidencePlace): void {
      noteNewest(object, noteTime);
      const origin = originOf(object);
      for (const rule of rules) {
        if (!rule.object || !rule.appliesTo(origin) || waiting.length >= MAX_WAITING) continue;
        // With no end in sight everything is old: what fails this fails always.
        if (objectMatches(rule.object, object, NEVER)) waiting.push({ rule, object, place });
      }
    },
    finish(add: (match: RuleMatch, line: EvidenceLine) => void): void {
      const at = new Date(end);
      for (const { rule, object, place } of waiting) {
        if (!rule.object || !objectMatches(rule.object, object, at)) continue;
        const paths = rule.object.all.map(({ path }) => path).join(', ');
        const text = `${object.kind}/${object.metadata?.name ?? ''}: ${paths}`;
        const when = end > 0 ? { at } : {};
        add({ rule, groups: {} }, { ...place, ...when, text, origins: [originOf(object)] });
      }
    },
  };
}

const originOf = (object: ApiObject): string =>
  `object:${object.kind}/${object.metadata?.name ?? ''}`;

/** The time of its last change is the least the evidence reaches to; what lies ahead (an end of validity) is none. */
function noteNewest(object: ApiObject, note: (at: Date) => void): void {
  const { metadata, status } = object as { metadata?: unknown; status?: unknown };
  for (const [, time = ''] of JSON.stringify([metadata, status]).matchAll(TIME))
    note(new Date(time));
}
