import type { Style } from '../command.ts';
import { eventText, isTold } from './event-text.ts';
import type { Reporter, Screen, Verbosity } from './reporter.ts';

/** For pipes and CI: one line for each thing that is finished. */
export function plainReporter(screen: Screen, style: Style, verbosity: Verbosity): Reporter {
  return {
    report(event) {
      if (isTold(event, verbosity)) screen.write(`${eventText(event, style)}\n`);
    },
    pause: () => undefined,
    resume: () => undefined,
    close: () => undefined,
  };
}
