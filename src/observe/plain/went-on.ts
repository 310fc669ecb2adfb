import { isQuoted } from '../match-line.ts';
import { FAILS } from './read-plainly.ts';

/** What programs say when things go on. */
const GOES_ON =
  /(?<!\b(?:not|never|neither|nor|isn't|wasn't|cannot|can't) (?:get |be |yet )?)(?<!un|re-)\b(?:succe(?:ss|eded)\w*|completed?|done|ready|started|finished|accepted|joined|pulled|passed|drained|evicted|fetched|created|saved|enabled|(?:is|readiness) UP|Selected source|running|healthy|issued|ignoring|NodeReady|Now using project|Degraded changed from True to False|Available changed from False to True|phase "?Bound|200|ok)\b|^[a-z][\w.-]*\/\S+ (?:configured|unchanged|labeled|annotated|patched)$/i;

/** What was typed, and what people are told to do, says nothing of how it went. */
export const goesOn = (text: string): boolean =>
  GOES_ON.test(text) &&
  !FAILS.test(text) &&
  !isQuoted(text) &&
  !ADVICE.test(text) &&
  !OF_A_STATE.test(text);

/**
 * What is running or ready without anything having gone on: a step that begins, the trace of a crash, tables and
 * descriptions of what there is, with their heads, and events of what is tried.
 */
const OF_A_STATE =
  /goroutine \d+ \[|\bRunning:? (?:'|\/|command|SSH|podman|sudo)|^[\s|]*(?:NAME|LAST SEEN|NAMESPACE)\s|^\s*\S+(?: +\S+)? +\d+\/\d+ +Running\b|^\s*(?:Started|Finished|Ready|State|Loaded|Active): |^\s*(?:- )?[Tt]ype: |since unit was started|report was created|previously-fetched|^\s*(?:\S+ +)?Normal +(?:Scheduled|Pulling|Killing|BackOff|SandboxChanged)\b|\| Normal \| (?:Scheduled|Pulling|Killing)\b/;
const ADVICE = /^\W*(?:Action: )?(?:Ensure|Make sure|Check|Verify|Try|See|Please|Confirm)\b/;
