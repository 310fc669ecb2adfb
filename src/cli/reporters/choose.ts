import type { Style } from '../command.ts';
import type { GlobalOptions } from '../global-options.ts';
import { createStyle, wantsColours } from '../style.ts';
import { eventText, isTold } from './event-text.ts';
import { prettyReporter } from './pretty.ts';
import type { Reporter, Screen, Verbosity } from './reporter.ts';

function verbosityOf(globals: Pick<GlobalOptions, 'quiet' | 'verbose'>): Verbosity {
  if (globals.quiet) return 'quiet';
  return globals.verbose ? 'verbose' : 'normal';
}

/** The reporter that fits what was asked for and what the screen can show. */
export function chooseReporter(
  globals: GlobalOptions,
  screen: Screen,
  env: Readonly<Record<string, string | undefined>>,
  now: () => Date,
): Reporter {
  const verbosity = verbosityOf(globals);
  if (globals.output === 'json') return jsonReporter(screen, now, verbosity);
  const style = createStyle(wantsColours(screen, env));
  if (!canRedraw(screen, env)) return plainReporter(screen, style, verbosity);
  return prettyReporter({ screen, style, verbosity, nowMs: () => now().getTime() });
}

/** A terminal that can move its cursor, and nobody who only records what it shows. */
function canRedraw(screen: Screen, env: Readonly<Record<string, string | undefined>>): boolean {
  return screen.isTTY === true && env.TERM !== 'dumb' && !env.CI;
}

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
