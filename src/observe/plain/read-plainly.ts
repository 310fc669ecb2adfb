import { seenText } from '../match-line.ts';
import { otherEndOf } from '../other-end.ts';
import { partiesOf } from '../party.ts';
import { quoteLine, unlessSecret } from '../quote-line.ts';
import { isNoMessage } from './no-message.ts';
import { saidIn } from './own-words.ts';
import type { FoundWords, PlainReading, Reading } from './plain-reading.ts';
import { ANSWER_READINGS } from './readings/answer-readings.ts';
import { CLUSTER_READINGS } from './readings/cluster-readings.ts';
import { HOST_READINGS } from './readings/host-readings.ts';
import { INPUT_READINGS } from './readings/input-readings.ts';
import { INSTALL_READINGS } from './readings/install-readings.ts';
import { KIND_READINGS } from './readings/kind-readings.ts';
import { NETWORK_READINGS } from './readings/network-readings.ts';
import { PROGRAM_READINGS } from './readings/program-readings.ts';
import { REFUSAL_READINGS } from './readings/refusal-readings.ts';
import { REGISTRY_READINGS } from './readings/registry-readings.ts';
import { RUNNING_READINGS } from './readings/running-readings.ts';
import { STATE_READINGS } from './readings/state-readings.ts';
import { STATED_READINGS } from './readings/stated-readings.ts';

/** Words by which a line tells of a failure. */
export const FAILS =
  /\b(?:errors?|fatal|fail(?:ed|ure|ing)?\b|unable|cannot|can't|could not|couldn't)\b|^(?:FATA|ERRO)\[|^[\w.]*(?:Error|Exception): /i;

/**
 * What others answer and what this machine lacks: whoever says why in the same line speaks before a bare status. Before
 * all stand the words of single programs, and those of a cluster that tell who did not get the answer, and what that means there.
 */
const BY_CAUSE: readonly PlainReading[] = [
  ...PROGRAM_READINGS,
  ...RUNNING_READINGS,
  ...NETWORK_READINGS,
  ...ANSWER_READINGS,
  ...KIND_READINGS,
  ...CLUSTER_READINGS,
  ...REGISTRY_READINGS,
  ...HOST_READINGS,
];

/** The first that fits a line speaks for it. */
export const PLAIN_READINGS: readonly PlainReading[] = [
  ...BY_CAUSE.filter(({ isGeneral }) => !isGeneral),
  ...BY_CAUSE.filter(({ isGeneral }) => isGeneral),
  ...INSTALL_READINGS,
  ...INPUT_READINGS,
  ...STATED_READINGS,
  ...REFUSAL_READINGS,
  ...STATE_READINGS,
];

/** Programs put the cause behind what it led to: of a long line its end is read. */
const READ_TEXT = 2000;

/** What one line says by itself; `lead` stands before it and may name whom it talks to, `origins` tell who said it. */
export function readPlainly(
  text: string,
  lead?: string,
  origins: readonly string[] = [],
): Reading | undefined {
  const seen = seenText(text).slice(-READ_TEXT);
  if (isNoMessage(seen)) return undefined;
  const fails = FAILS.test(seen);
  const isPublic = partiesOf(seen).includes('source');
  for (const reading of PLAIN_READINGS) {
    const { id, pattern, remedy, isVague, isOfInternet, after, from } = reading;
    const isSaidBy = !from || origins.some((origin) => from.test(origin));
    const isPlaced = isSaidBy && (after?.test(lead ?? '') ?? true);
    const isFor = isPlaced && (fails || !isVague) && (isPublic || !isOfInternet);
    const match = isFor ? pattern.exec(seen) : undefined;
    if (!match) continue;
    const upTo = seen.slice(0, match.index + match[0].length);
    const end = otherEndOf(upTo) ?? otherEndOf(seen) ?? otherEndOf(lead ?? '');
    const words = { groups: shownOf(match.groups, seen), end };
    return { id, cause: sentenceOf(reading, words, text), remedy };
  }
  return undefined;
}

/** A sentence that hardly says why, or names nothing of its line, says too little alone. */
function sentenceOf({ cause, isGeneral }: PlainReading, found: FoundWords, text: string): string {
  const own = cause(found);
  const said = own.replace(/^the /, 'The ');
  const isBare = isGeneral || own === cause({ groups: {}, end: undefined });
  const words = saidIn(text);
  const isTold = said.toLowerCase().includes(words.toLowerCase());
  return quoteLine(isBare && !isTold ? `${said.replace(/\.$/, '')}. Its words: ${words}` : said);
}

/** The words of a reading, without what is a secret in its line. */
const shownOf = (groups: Words | undefined, seen: string): Words =>
  Object.fromEntries(
    Object.entries(groups ?? {}).map(([name, word]) => [name, unlessSecret(word, seen)]),
  );

type Words = Readonly<Record<string, string | undefined>>;
