import { build, type Metafile } from 'esbuild';
import { beforeAll, expect, test } from 'vitest';
import { MAIN, MODULE, root } from '../scripts/bundle.mjs';

let outputs: Metafile['outputs'];

beforeAll(async () => {
  const { metafile } = await build({
    ...MODULE,
    absWorkingDir: root,
    entryPoints: [MAIN],
    outdir: 'dist',
    splitting: true,
    write: false,
    metafile: true,
  });
  outputs = metafile.outputs;
});

/** The sources that are read before the first line of this one runs. */
function readFor(entry: string): string[] {
  const [first] = Object.entries(outputs).find(([, output]) => output.entryPoint === entry) ?? [];
  expect(first, `no file starts with ${entry}`).toBeDefined();
  const files = new Set([first ?? '']);
  for (const file of files) {
    const imports = outputs[file]?.imports ?? [];
    const needed = imports.filter(
      ({ kind, path }) => kind === 'import-statement' && path in outputs,
    );
    for (const { path } of needed) files.add(path);
  }
  return [...files].flatMap((file) => Object.keys(outputs[file]?.inputs ?? {}));
}

test('the command line starts without reading any command', () => {
  const sources = readFor('src/cli/main.ts').filter((file) => file.startsWith('src/'));

  expect(sources).toContain('src/cli/main.ts');
  expect(sources.filter((file) => !/^src\/(cli|core|oci)\//.test(file))).toEqual([]);
  expect(sources.filter((file) => /^src\/cli\/commands\/(?!load|groups)/.test(file))).toEqual([]);
});

test('writing a configuration file reads nothing that could contact a registry', () => {
  const render = readFor('src/cli/commands/render/index.ts');
  const site = readFor('src/site/inputs.ts');

  expect(render).toContain('src/generate/install-config/build.ts');
  expect(site).toContain('src/mirror/flow/working-dir.ts');
  expect([...render, ...site].filter((file) => /^src\/(http|remote)\//.test(file))).toEqual([]);
});

test('no command reads a large library before it needs it', () => {
  const libraries = readFor('src/cli/commands/index.ts').filter((file) =>
    /node_modules/.test(file),
  );

  expect(libraries.filter((file) => /zod/.test(file))).not.toEqual([]);
  expect(libraries.filter((file) => /openpgp|@aws-sdk|@peculiar/.test(file))).toEqual([]);
  expect(libraries.filter((file) => /zod\/v4\/locales\/(?!en\.js)/.test(file))).toEqual([]);
});

test('mirror sync reads what collects releases, operators and charts when an image set asks for them', () => {
  const asking = readFor('src/cli/commands/mirror/sync.ts');
  const running = readFor('src/cli/commands/mirror/sync-run.ts');
  const sources = [...asking, ...running, ...readFor('src/mirror/flow/mirror-images.ts')];

  expect(asking).toContain('src/remote/create-registries.ts');
  // Loaded while the mirror answers.
  expect(
    asking.filter((file) => /\/(zod|yaml)\/|^src\/(content\/image-set|mirror\/copy)\//.test(file)),
  ).toEqual([]);
  expect(running).not.toContain('src/mirror/copy/planner.ts');
  expect(sources).toContain('src/mirror/copy/planner.ts');
  expect(
    sources.filter((file) =>
      /^src\/(content\/(release\/graph|catalog|helm|downloads|layers)|store|mirror\/(bundle|delta))\//.test(
        file,
      ),
    ),
  ).toEqual([]);
  expect(
    sources.filter((file) => /^src\/cli\/commands\/mirror\/(save|load|delete)/.test(file)),
  ).toEqual([]);
});

test('a library that is read when needed has its names', () => {
  const late = Object.values(outputs).filter(({ entryPoint }) =>
    /node_modules/.test(entryPoint ?? ''),
  );

  expect(late.map(({ entryPoint }) => entryPoint)).toContainEqual(
    expect.stringContaining('openpgp'),
  );
  // All that is left of a CommonJS library.
  expect(late.filter(({ exports }) => `${exports}` === 'default')).toEqual([]);
});
