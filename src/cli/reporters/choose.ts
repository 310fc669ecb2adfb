import type { GlobalOptions } from '../global-options.ts';
import { createStyle, wantsColours } from '../style.ts';
import { jsonReporter } from './json.ts';
import { plainReporter } from './plain.ts';
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
  return plainReporter(screen, createStyle(wantsColours(screen, env)), verbosity);
}
