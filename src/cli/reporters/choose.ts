import type { GlobalOptions } from '../global-options.ts';
import { createStyle, wantsColours } from '../style.ts';
import { jsonReporter } from './json.ts';
import { plainReporter } from './plain.ts';
import { prettyReporter } from './pretty.ts';
import type { Reporter, Screen, Verbosity } from './reporter.ts';

export function verbosityOf(globals: Pick<GlobalOptions, 'quiet' | 'verbose'>): Verbosity {
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
