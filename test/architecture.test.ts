import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { HOMES, IO_BUILTINS, LAYERS, NEVER, PURE } from './layers.ts';
import {
  decidingByWords,
  importCycles,
  importsAwayFromHome,
  importsOf,
  impureImports,
  isTest,
  layerTableIn,
  layerViolations,
  parkedTests,
  platformForks,
  printingOutsideCli,
  type Rules,
  readersWrittenAgain,
  readmeProblems,
  readSources,
  type SourceFile,
  sharedTypeNames,
  tableCycles,
  tooLong,
} from './support/architecture.ts';

const ROOT = join(import.meta.dirname, '..');
const SRC = join(ROOT, 'src');
const RULES: Rules = { layers: LAYERS, never: NEVER, pure: PURE, ioBuiltins: IO_BUILTINS };

/** Where platforms differ: everybody else asks a row of a table. */
const PLATFORM_FOLDERS = ['platform/', 'lab/', 'generate/install-config/platforms/'];

/** About two hundred are the aim; a file that passes this has two purposes. */
const MOST_LINES = 310;

/** Who writes files under names that atoll itself chose, in a way of its own. */
const OWN_FILES = [
  'core/files.ts',
  'core/lock.ts',
  'store/',
  'registry/storage/blob-files.ts',
  'registry/access/access-log.ts',
  // Part of the build.
  'cli/launch/prepare.ts',
  'cli/launch/record.ts',
  'mirror/bundle/bundle-writer.ts',
  'mirror/bundle/parts.ts',
  'mirror/flow/release/oc-dir.ts',
  'mirror/flow/upload-notes.ts',
  'platform/shared/installer.ts',
  'site/stages/tools.ts',
  'lab/',
  'mirror/delta/',
  'content/downloads/',
];

const all = readSources(SRC);
const shipped = all.filter((file) => !isTest(file));
const modules = readdirSync(SRC, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map((entry) => entry.name);

const readme = (module: string) => {
  const path = join(SRC, module, 'README.md');
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
};

/** A planted source, to show that a check can fail. */
const bad = (path: string, text: string): SourceFile[] => [{ path, text }];

describe('the sources', () => {
  test('import only what the table allows', () => {
    expect(layerViolations(shipped, RULES)).toEqual([]);
  });

  test('do no I/O in pure modules', () => {
    expect(impureImports(shipped, RULES)).toEqual([]);
  });

  test('read YAML and run programs through core', () => {
    expect(importsAwayFromHome(shipped, HOMES)).toEqual([]);
  });

  test('write files that somebody named through core/files.ts', () => {
    const own =
      /\b(?:rename|writeFile|writeFileSync|createWriteStream|copyFile|mkdir)\b[^;]*from 'node:fs/;
    const found = shipped.filter(({ text }) => own.test(text)).map(({ path }) => path);

    expect(found.filter((path) => !OWN_FILES.some((home) => path.startsWith(home)))).toEqual([]);
  });

  test('read what may be no JSON, or no reference, by the shared functions', () => {
    expect(readersWrittenAgain(shipped)).toEqual([]);
  });

  test('print only in cli', () => {
    expect(printingOutsideCli(shipped)).toEqual([]);
  });

  test('decide by the code of an error, never by its words', () => {
    const paths = shipped.map(({ path }) => path);
    const allowed = Object.keys(WORDS_ALLOWED).filter((path) => paths.includes(path));

    expect(decidingByWords(shipped)).toEqual(allowed.toSorted());
  });

  test('have no import cycles', () => {
    expect(importCycles(shipped)).toEqual([]);
  });

  test('ask which platform it is only in the folders of platforms', () => {
    expect(platformForks(shipped, PLATFORM_FOLDERS)).toEqual([]);
  });

  test('export no two types under one name', () => {
    expect(sharedTypeNames(shipped)).toEqual([]);
  });

  test('are short enough to be read in one go', () => {
    expect(tooLong(shipped, MOST_LINES)).toEqual([]);
  });

  test('have no parked tests', () => {
    expect(parkedTests([...all.filter(isTest), ...testFolder()])).toEqual([]);
  });

  test('have a README of 10 to 30 lines in every module', () => {
    expect(readmeProblems(modules, readme)).toEqual([]);
  });
});

/** Where words are all there is. Whoever gives one of them a code takes it out of this list. */
const WORDS_ALLOWED: Readonly<Record<string, string>> = {
  'cli/reporters/event-text.ts': 'decides only whether a line repeats its subject',
  'cli/usage-error.ts': 'takes the misspelled word out of what commander says, for a suggestion',
  'cluster/api/status-error.ts': 'the API says who manages a field in words alone',
  'http/network-error.ts': 'OpenSSL says through EPROTO what went wrong, in words alone',
  'remote/config/auth-file-parse.ts': 'JSON.parse tells the place of a mistake in words alone',
  'store/s3/bucket.ts': 'says more where the SDK says only "UnknownError"',
};

function testFolder(): SourceFile[] {
  return readSources(import.meta.dirname).filter((file) => file.path !== 'architecture.test.ts');
}

describe('the table', () => {
  test('lets no two modules import each other', () => {
    expect(tableCycles(LAYERS)).toEqual([]);
  });

  test('is the one in ARCHITECTURE.md', () => {
    const documented = layerTableIn(readFileSync(join(ROOT, 'ARCHITECTURE.md'), 'utf8'));

    expect(documented).toEqual(LAYERS);
  });
});

describe('the checks can fail', () => {
  test('layerViolations names a module that is not allowed, however it is imported', () => {
    const forms = [
      "import { openStore } from '../store/store.ts';",
      "import type { Store } from '../store/store.ts';",
      "import {\n  a,\n  b,\n} from '../store/store.ts';",
      "export * from '../store/store.ts';",
      "import '../store/store.ts';",
      "const store = await import('../store/store.ts');",
    ];

    for (const form of forms) {
      expect(layerViolations(bad('oci/digest.ts', form), RULES)).toEqual([
        'oci/digest.ts may not import store/',
      ]);
    }
  });

  test('layerViolations keeps site away from what shows it, though it may import the rest', () => {
    const text =
      "import '../mirror/plan.ts';\nimport '../cli/main.ts';\nimport '../dashboard/a.ts';";

    expect(layerViolations(bad('site/stages.ts', text), RULES)).toEqual([
      'site/stages.ts may not import cli/',
      'site/stages.ts may not import dashboard/',
    ]);
  });

  test('layerViolations does not accept a module the table does not know', () => {
    expect(layerViolations(bad('helpers/a.ts', ''), RULES)).toHaveLength(1);
  });

  test('impureImports names the builtin, with and without its prefix', () => {
    const text = "import { readFile } from 'node:fs/promises';\nimport net from 'net';";

    expect(impureImports(bad('generate/hosts.ts', text), RULES)).toEqual([
      'generate/hosts.ts may not import node:fs/promises',
      'generate/hosts.ts may not import net',
    ]);
    expect(impureImports(bad('store/disk.ts', text), RULES)).toEqual([]);
  });

  test('importsAwayFromHome names who goes around core', () => {
    const text = "import { parse } from 'yaml';";

    expect(importsAwayFromHome(bad('site/a.ts', text), HOMES)).toEqual([
      'site/a.ts may not import yaml',
    ]);
    expect(importsAwayFromHome(bad('core/yaml.ts', text), HOMES)).toEqual([]);
  });

  test('tooLong counts lines', () => {
    expect(tooLong(bad('site/a.ts', 'a;\n'.repeat(11)), 10)).toEqual(['site/a.ts has 11 lines']);
    expect(tooLong(bad('site/a.ts', 'a;\n'.repeat(10)), 10)).toEqual([]);
  });

  test('readersWrittenAgain names who wraps a reader in a try', () => {
    const text =
      'function jsonOf(text: string) {\n  try {\n    return JSON.parse(text);\n  } catch {\n    return undefined;\n  }\n}';

    expect(readersWrittenAgain(bad('site/a.ts', text))).toEqual([
      'site/a.ts writes parseJson of core/shape.ts again',
    ]);
    expect(readersWrittenAgain(bad('core/shape.ts', text))).toEqual([]);
    expect(readersWrittenAgain(bad('site/a.ts', text.replace('undefined', 'text')))).toEqual([]);
  });

  test('printingOutsideCli sees the console and the streams, but not comments', () => {
    expect(printingOutsideCli(bad('mirror/a.ts', "console.log('copied');"))).toHaveLength(1);
    expect(printingOutsideCli(bad('mirror/a.ts', "process.stdout.write('x');"))).toHaveLength(1);
    expect(printingOutsideCli(bad('mirror/a.ts', '// console.log(1)\n'))).toEqual([]);
    expect(printingOutsideCli(bad('cli/a.ts', "process.stderr.write('x');"))).toEqual([]);
  });

  test('decidingByWords sees every way to look into a message, and no way to show one', () => {
    const looks = [
      "error.message.startsWith('Cannot')",
      "messageOf(error).includes('sparse')",
      'issue.message?.match(/a/)',
      '/refused/i.test(error.message)',
      'PATTERN.exec(messageOf(cause))',
      "error.message === 'gone'",
      'if (message !== `x`) throw error;',
    ];

    for (const look of looks) expect(decidingByWords(bad('mirror/a.ts', look))).toHaveLength(1);
    expect(decidingByWords(bad('mirror/a.ts', 'show(error.message, error.code)'))).toEqual([]);
    expect(decidingByWords(bad('mirror/a.ts', "typeof e.message === 'string'"))).toEqual([]);
    expect(decidingByWords(bad('mirror/a.ts', "/* error.message === 'a' */"))).toEqual([]);
  });

  test('importCycles shows the way around', () => {
    const files = [
      { path: 'oci/a.ts', text: "import { b } from './b.ts';" },
      { path: 'oci/b.ts', text: "import { c } from './deep/c.ts';" },
      { path: 'oci/deep/c.ts', text: "import type { A } from '../a.ts';" },
    ];

    expect(importCycles(files)).toEqual(['oci/a.ts -> oci/b.ts -> oci/deep/c.ts -> oci/a.ts']);
  });

  test('tableCycles finds two modules that may import each other', () => {
    expect(tableCycles({ core: [], oci: ['core', 'store'], store: ['oci'] })).toHaveLength(1);
  });

  test('platformForks sees each way to ask, but not in a folder of a platform', () => {
    const ways = [
      "if (site.platform.type === 'lab') run();",
      'if (platform.type !== wanted) run();',
      "if (site.platformKind.name == 'mine') run();",
      "const { type } = platform;\nif (type === 'aws') run();",
      'switch (site.platform.type) {}',
      "switch (kind) {\n  case 'vsphere':\n}",
    ];

    for (const text of ways) {
      expect(platformForks(bad('site/stages/a.ts', text), PLATFORM_FOLDERS)).toEqual([
        'site/stages/a.ts asks which platform it is on',
      ]);
      expect(platformForks(bad('platform/aws/a.ts', text), PLATFORM_FOLDERS)).toEqual([]);
    }
    expect(platformForks(bad('site/a.ts', "// platform.type === 'lab'\n"), [])).toEqual([]);
    expect(platformForks(bad('site/a.ts', "if (registry.type === 'existing') a();"), [])).toEqual(
      [],
    );
  });

  test('sharedTypeNames names both places', () => {
    const places = [
      ...bad('oci/a.ts', 'export interface Place {}\n'),
      ...bad('store/b.ts', 'export type Place = string;\ntype Own = 1;\n'),
      ...bad('store/c.ts', 'type Own = 2;\n'),
    ];

    expect(sharedTypeNames(places)).toEqual(['Place is exported by oci/a.ts and store/b.ts']);
  });

  test('parkedTests finds a test that was switched off', () => {
    const switchedOff = `test.${'skip'}('later', () => {});`;

    expect(parkedTests(bad('oci/a.test.ts', switchedOff))).toHaveLength(1);
  });

  test('readmeProblems sees an absent README and one that is too short or too long', () => {
    const texts: Record<string, string> = { short: '# a\n', long: 'line\n'.repeat(31) };

    expect(readmeProblems(['short', 'long', 'none'], (module) => texts[module])).toEqual([
      'short/README.md has 1 lines, not 10 to 30',
      'long/README.md has 31 lines, not 10 to 30',
      'none/ has no README.md',
    ]);
  });

  test('layerTableIn reads what a changed document says', () => {
    expect(layerTableIn('| `oci` | words | core, store |\n| `site` | x | everything |')).toEqual({
      oci: ['core', 'store'],
      site: ['*'],
    });
  });

  test('importsOf does not read comments', () => {
    expect(importsOf({ path: 'a.ts', text: "// import a from 'b';\nimport c from 'd';" })).toEqual([
      'd',
    ]);
  });
});
