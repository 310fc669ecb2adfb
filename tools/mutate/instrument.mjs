import { readFileSync } from 'node:fs';
import { Instrumenter } from '@stryker-mutator/instrumenter';
import { errorWords } from './words.mjs';

const quiet = () => undefined;
const log = { debug: quiet, info: quiet, warn: quiet, error: quiet, isDebugEnabled: () => false };

/** The sources with every mutant in them behind a switch, and the list of the mutants. */
export async function instrument(paths) {
  const files = paths.map((name) => ({ name, mutate: true, content: readFileSync(name, 'utf8') }));
  return await new Instrumenter(log).instrument(files, {
    plugins: null,
    // Words of messages are no behaviour.
    excludedMutations: ['StringLiteral'],
    ignorers: [errorWords],
  });
}
