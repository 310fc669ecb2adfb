import { isQuoted } from '../match-line.ts';
import { PROMPT } from '../place-line.ts';
import { TYPED } from './no-message.ts';
import { FAILS } from './read-plainly.ts';

/** What programs say when things go on. */
const GOES_ON =
  /(?<!\b(?:0|not|never|neither|nor|isn't|wasn't|cannot|can't) (?:get |be |yet )?)(?<!un|re-)\b(?:succe(?:ss|eded)\w*|completed?|done|ready|started|finished|accepted|joined|pulled|passed|pass(?= \(|$)|drained|evicted|fetched|created|saved|enabled|(?:is|readiness) UP|Selected source|running|healthy|issued|ignoring|NodeReady|became active|Serving rendered-[\w-]+|Now using project|Degraded changed from True to False|Available changed from False to True|phase "?Bound|Caches are synced|became active|back in quorum|(?:checks are|now) working|All is well|200|ok)\b|^[a-z][\w.-]*\/\S+ (?:configured|unchanged|labeled|annotated|patched)$/i;

/** Some words lie between what is denied and that it is. */
const NOT_SO = /\b(?:not|never)\b [\w ]{0,30}succe/i;

/** Whoever says it so does not tell of a success, whatever its words. */
const WARNS = /\blevel=(?:warn|err|fatal)|(?:^|[\s"])[EWF]\d{4} \d\d:\d\d:\d\d/;

/** What was typed, and what people are told to do, says nothing of how it went. */
export const goesOn = (text: string): boolean =>
  GOES_ON.test(text) &&
  !FAILS.test(text) &&
  !NOT_SO.test(text) &&
  !WARNS.test(text) &&
  !isQuoted(text) &&
  !ADVICE.test(text) &&
  !OF_A_STATE.test(text) &&
  !OF_THE_END.test(text);

/**
 * What is running or ready without anything having gone on: a step that begins, the trace of a crash, tables and
 * descriptions of what there is, with their heads, and events of what is tried.
 */
const OF_A_STATE =
  /goroutine \d+ \[|\bRunning:? (?:'|\/|command|SSH|podman|sudo)|^[\s|]*(?:NAME|LAST SEEN|NAMESPACE)\s|^\s*\S+(?: +\S+)? +\d+\/\d+ +Running\b|^\s*(?:Started|Finished|Ready|State|Loaded|Active|Created): |^\s*(?:- )?[Tt]ype: |since unit was started|report was created|previously-fetched|^\s*(?:- )?[Mm]essage: |^\s*[A-Z][\w ]+ Count: |^\s*(?:Cause|Description): "|\b[Ss]tatus(?: updated\b|="Running")|^\s*ok\s*$|^\s*(?:\S+ +)?Normal +(?:Scheduled|Pulling|Killing|BackOff|SandboxChanged|Pulled\b.*already present)\b|\| Normal \| (?:Scheduled|Pulling|Killing)\b/;
const ADVICE = /^\W*(?:Action: )?(?:Ensure|Make sure|Check|Verify|Try|See|Please|Confirm)\b/;

/**
 * What is said where nothing goes on: a job that is still waited for, a machine that gives up its start, a program that
 * cleans up, a run that sums up its errors, who logs in to look.
 */
const OF_THE_END =
  /\bA start job is running\b|\bEmergency\b|\[ +OK +\] (?:Stopped|Closed|Unmounted)|Deactivated successfully|Started Session\b|(?:Planning|Mirroring) completed in|system has completed operations|[Ss]till waiting\b|Is the server running|-> Degraded|\bignoring received\b|\bTTL=\d|Triggering OnFailure|Wait completed after|[Ee]xit (?:[Ss]tatus|code):? [1-9]|(?:[Ff]inished|Done) syncing|finished scheduled compaction|InspectionStarted|are accepted\.$|^\s*(?:ok|changed|skipping): \[[^\]]+\] => \(item=/;

/** Who says a line: what one of them brought to its end tells nothing of the others. */
export interface Speaker {
  /** A program whose work the others have no part in. */
  readonly bystander: string | undefined;
  /** What was typed last before it; '' where nothing was. */
  readonly command: string;
}

/** Programs that look after themselves: that one logs in or keeps the time does not mean that an image came. */
const BYSTANDER =
  /\b(kernel|sshd(?:-session)?|sudo|su|chronyd|systemd-\w+|dbus\S*|CROND?|crond|sysstat\S*|logrotate|auditd?|polkitd|rsyslogd|irqbalance|NetworkManager)(?:\[\d+\])?: |"SYSLOG_IDENTIFIER": ?"(sshd|sudo|chronyd|NetworkManager|CROND|systemd-\w+)"|\bsystemd\[1\]: (?:Started|Finished|Starting) (sysstat|dbus|logrotate|systemd-\S+|user-?\S*|[\w-]+\.timer|Hostname)/;

/** Who says each of the lines. */
export function speakersOf(lines: readonly string[]): readonly Speaker[] {
  let command = '';
  return lines.map((text) => {
    const isTyped = PROMPT.test(text) || (TYPED.test(text) && !text.includes(': '));
    const typed = isTyped ? text.replace(PROMPT, '').trim() : '';
    if (typed !== '') command = typed;
    const [, ...found] = BYSTANDER.exec(text) ?? [];
    return { bystander: found.find((one) => one !== undefined), command };
  });
}

/** A row of a table that shows a pod as ready, none of whose containers was started again. */
const READY_POD = /^\s*(?:\S+\s+)?([a-z][\w.-]*-[\w-]+)\s+(\d+)\/\2\s+Running\s+0\s/;

/** What events tell of a pod that is shown as ready is over. */
export function saysOfReadyPod(lines: readonly string[]): (text: string) => boolean {
  const ready = lines.flatMap((text) => READY_POD.exec(text)?.[1] ?? []);
  return (text) => ready.some((name) => text.includes(`pod/${name} `));
}

/** What came to a good end, told from the last line to the first. */
export function createOutcome(): {
  note(speaker: Speaker): void;
  isGood(speaker: Speaker): boolean;
} {
  const good: Speaker[] = [];
  return {
    note: (speaker) => {
      good.push(speaker);
    },
    isGood: ({ bystander, command }) =>
      good.some(
        (one) =>
          one.command === command &&
          // What a bystander complains of is over as soon as anything goes on.
          (one.bystander === undefined || bystander !== undefined),
      ),
  };
}
