// Mutation testing of one module: `npm run mutate -- core`, or a path below src/. Not in CI: it takes minutes to hours.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const tools = join(root, 'tools', 'mutate');
const [module, ...rest] = process.argv.slice(2);

if (!module || !existsSync(join(root, 'src', module))) {
  const modules = readdirSync(join(root, 'src')).join(', ');
  console.error(`usage: npm run mutate -- MODULE [stryker options]\nmodules: ${modules}`);
  process.exit(2);
}

function run(file, args, cwd = root) {
  const { status } = spawnSync(file, args, { cwd, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}

/** Whole programs are started by no mutant: only the tests beside the sources, and those of `test/` given by MUTATE_TESTS. */
function settings() {
  const folder = join(root, 'node_modules', '.cache', 'atoll-mutate');
  mkdirSync(folder, { recursive: true });
  const vitest = join(folder, 'vitest.config.mjs');
  const tests = [
    `src/${module}/**/*.test.ts`,
    ...(process.env.MUTATE_TESTS ?? '').split(',').filter(Boolean),
  ];
  writeFileSync(
    vitest,
    `export default { test: ${JSON.stringify({ include: tests, pool: 'threads', testTimeout: 30_000 })} };\n`,
  );
  const config = join(folder, 'stryker.json');
  const reports = join(root, 'dist', 'mutation', module.replaceAll('/', '-'));
  writeFileSync(
    config,
    JSON.stringify({
      mutate: [`src/${module}/**/*.ts`, '!src/**/*.test.ts'],
      testRunner: 'vitest',
      plugins: [
        join(tools, 'node_modules', '@stryker-mutator', 'vitest-runner', 'dist', 'src', 'index.js'),
      ],
      // Stryker would rewrite it with an older compiler's API; vitest does not need it.
      tsconfigFile: 'none.json',
      vitest: { configFile: vitest, related: false },
      coverageAnalysis: 'perTest',
      // Words of messages are no behaviour, and a mutant that loops for ever counts as killed.
      mutator: { excludedMutations: ['StringLiteral'] },
      ignoreStatic: true,
      concurrency: 2,
      timeoutMS: 10_000,
      inPlace: false,
      ignorePatterns: ['dist', 'docs', 'bench', 'tools', 'examples', '.github'],
      reporters: ['clear-text', 'html', 'json'],
      clearTextReporter: { logTests: false, allowColor: false },
      htmlReporter: { fileName: join(reports, 'index.html') },
      jsonReporter: { fileName: join(reports, 'mutation.json') },
      tempDirName: join('node_modules', '.cache', 'stryker-tmp'),
    }),
  );
  return config;
}

if (!existsSync(join(tools, 'node_modules'))) run('npm', ['ci', '--no-audit', '--no-fund'], tools);
run(process.execPath, [
  join(tools, 'node_modules', '@stryker-mutator', 'core', 'bin', 'stryker.js'),
  'run',
  settings(),
  ...rest,
]);
