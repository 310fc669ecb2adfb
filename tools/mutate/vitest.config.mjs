import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const { root, sources, tests } = JSON.parse(process.env.ATOLL_MUTATE);
const instrumented = new Map(JSON.parse(readFileSync(sources, 'utf8')));

export default {
  root,
  plugins: [
    {
      name: 'mutants',
      enforce: 'pre',
      load: (id) => instrumented.get(id),
    },
  ],
  test: {
    include: tests,
    runner: join(import.meta.dirname, 'runner.mjs'),
    pool: 'forks',
    maxWorkers: 2,
    maxConcurrency: 1,
    // The runner stops what hangs.
    testTimeout: 3_600_000,
    hookTimeout: 120_000,
    dangerouslyIgnoreUnhandledErrors: true,
    reporters: ['dot'],
    silent: true,
  },
};
