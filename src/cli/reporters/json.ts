import { isTold } from './event-text.ts';
import type { Reporter, Screen, Verbosity } from './reporter.ts';

/** The events as they are, one JSON object a line, each with its number and its time. */
export function jsonReporter(screen: Screen, now: () => Date, verbosity: Verbosity): Reporter {
  let seq = 0;
  return {
    report(event) {
      if (verbosity === 'quiet' && !isTold(event, verbosity)) return;
      seq += 1;
      screen.write(`${JSON.stringify({ seq, at: now().toISOString(), ...event })}\n`);
    },
    pause: () => undefined,
    resume: () => undefined,
    close: () => undefined,
  };
}
