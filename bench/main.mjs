// npm run bench NAME [options]: runs bench/NAME/main.mjs (or bench/NAME.mjs).
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const here = import.meta.dirname;
const [name = '', ...args] = process.argv.slice(2);
const program = [join(here, name, 'main.mjs'), join(here, `${name}.mjs`)].find(
  (path) => name !== '' && name !== 'main' && existsSync(path),
);
if (program) {
  const { run } = await import(program);
  process.exitCode = (await run(args)) ?? 0;
} else {
  const names = readdirSync(here)
    .filter(
      (entry) =>
        !['main.mjs', 'settle.mjs', 'compare.mjs', 'build-program.mjs'].includes(entry) &&
        !entry.endsWith('.md'),
    )
    .map((entry) => entry.replace(/\.mjs$/, ''));
  console.error(`Usage: npm run bench NAME [-- OPTIONS]\nBenchmarks: ${names.join(', ')}`);
  process.exitCode = 2;
}
