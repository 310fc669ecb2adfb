import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

/** One source file: its path under `src/`, with forward slashes, and its text. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

/** The rules of `layers.ts`, as the checks take them, so that a test can bring others. */
export interface Rules {
  readonly layers: Readonly<Record<string, readonly string[]>>;
  readonly never: Readonly<Record<string, readonly string[]>>;
  readonly pure: readonly string[];
  readonly ioBuiltins: RegExp;
}

const STATIC = /^\s*(?:import|export)\b[^'"`;]*?\bfrom\s*['"]([^'"]+)['"]/gm;
const BARE = /^\s*import\s*['"]([^'"]+)['"]/gm;
const DYNAMIC = /\b(?:import|require)\(\s*['"]([^'"]+)['"]/g;
const COMMENTS = /\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm;
const PRINTING = /\bconsole\s*\.\s*\w+\s*\(|\bprocess\s*\.\s*std(?:out|err)\b/;
const PARKED = /\b(?:test|it|describe)\.(?:skip|only|todo)\b/;

export function readSources(root: string): SourceFile[] {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
    .map((file) => ({ path: file.slice(root.length + 1), text: readFileSync(file, 'utf8') }));
}

export const isTest = (file: SourceFile) => file.path.endsWith('.test.ts');
const moduleOf = (path: string) => path.split('/')[0] ?? '';

export function importsOf(file: SourceFile): string[] {
  const code = file.text.replace(COMMENTS, '');
  return [STATIC, BARE, DYNAMIC].flatMap((pattern) =>
    [...code.matchAll(pattern)].map((match) => match[1] ?? ''),
  );
}

/** The paths under `src/` that a file imports. */
function localImportsOf(file: SourceFile): string[] {
  return importsOf(file)
    .filter((specifier) => specifier.startsWith('.'))
    .map((specifier) => normalize(join(dirname(file.path), specifier)));
}

export function layerViolations(files: readonly SourceFile[], rules: Rules): string[] {
  return files.flatMap((file) => {
    const module = moduleOf(file.path);
    const allowed = rules.layers[module];
    if (!allowed) return [`${file.path} is in a module that the table does not know`];
    const never = rules.never[module] ?? [];
    return localImportsOf(file)
      .map(moduleOf)
      .filter((target) => target !== module)
      .filter(
        (target) => never.includes(target) || !(allowed.includes(target) || allowed.includes('*')),
      )
      .map((target) => `${file.path} may not import ${target}/`);
  });
}

export function impureImports(files: readonly SourceFile[], rules: Rules): string[] {
  return files
    .filter((file) => rules.pure.includes(moduleOf(file.path)))
    .flatMap((file) =>
      importsOf(file)
        .filter((specifier) => rules.ioBuiltins.test(`node:${specifier.replace(/^node:/, '')}`))
        .map((specifier) => `${file.path} may not import ${specifier}`),
    );
}

/** Imports of packages that have one home, from anywhere else. */
export function importsAwayFromHome(
  files: readonly SourceFile[],
  homes: Readonly<Record<string, readonly string[]>>,
): string[] {
  return files.flatMap((file) =>
    importsOf(file)
      .filter((specifier) => homes[specifier]?.every((home) => !file.path.startsWith(home)))
      .map((specifier) => `${file.path} may not import ${specifier}`),
  );
}

/** Files of more lines than this. */
export function tooLong(files: readonly SourceFile[], most: number): string[] {
  return files
    .map(({ path, text }) => ({ path, lines: text.trimEnd().split('\n').length }))
    .filter(({ lines }) => lines > most)
    .map(({ path, lines }) => `${path} has ${lines} lines`);
}

/** Readers that give undefined for what they cannot read, each with its one home. */
const READERS_IF_VALID = [
  { call: 'JSON.parse', home: 'core/shape.ts', name: 'parseJson' },
  { call: 'parseReference', home: 'oci/reference.ts', name: 'referenceIfValid' },
] as const;

/** Files that wrap a reader in a try of their own where a shared function does that. */
export function readersWrittenAgain(files: readonly SourceFile[]): string[] {
  return READERS_IF_VALID.flatMap(({ call, home, name }) => {
    const again = new RegExp(
      `try \\{\\s*return \\[?${call.replace('.', '\\.')}\\(\\w+\\)\\]?;\\s*\\} catch \\{\\s*return (?:undefined|\\[\\]);`,
    );
    return files
      .filter(({ path, text }) => path !== home && again.test(text))
      .map(({ path }) => `${path} writes ${name} of ${home} again`);
  });
}

/** Types that are exported under one name by several files: a reader cannot tell them apart. */
export function sharedTypeNames(files: readonly SourceFile[]): string[] {
  const places = new Map<string, string[]>();
  for (const { path, text } of files) {
    const exported = text.matchAll(/^export (?:abstract )?(?:interface|type|class) (\w+)/gm);
    for (const [, name = ''] of exported) places.set(name, [...(places.get(name) ?? []), path]);
  }
  return [...places]
    .filter(([, paths]) => paths.length > 1)
    .map(([name, paths]) => `${name} is exported by ${paths.join(' and ')}`);
}

export function printingOutsideCli(files: readonly SourceFile[]): string[] {
  return files
    .filter((file) => moduleOf(file.path) !== 'cli')
    .filter((file) => PRINTING.test(file.text.replace(COMMENTS, '')))
    .map((file) => `${file.path} prints`);
}

/** Words that are shown to somebody and change; a decision by them breaks without a sound. */
const DECIDING_WORDS = [
  /(?:\bmessage|\bmessageOf\([^()]*\))\s*\??\.\s*(?:startsWith|endsWith|includes|indexOf|match|matchAll|search)\(/,
  /\.(?:test|exec)\([^)\n]*\b(?:message\b|messageOf\()/,
  /(?<!\btypeof [\w.?]*)(?:\bmessage|\bmessageOf\([^()]*\))\s*[!=]==?\s*['"`]/,
];

/** Files that look into the words of an error instead of at its code. */
export function decidingByWords(files: readonly SourceFile[]): string[] {
  return files
    .filter(({ text }) =>
      DECIDING_WORDS.some((pattern) => pattern.test(text.replace(COMMENTS, ''))),
    )
    .map((file) => file.path);
}

const PLATFORM_NAMES = "'(?:lab|none|aws|vsphere|nutanix|baremetal)'";
const PLATFORM_FORKS = [
  /\bplatform(?:Kind)?\??\.(?:type|name)\s*[!=]==?/,
  /\bswitch\s*\([^)]*\bplatform\b[^)]*\)/,
  new RegExp(`\\b(?:type|platform)\\s*[!=]==?\\s*${PLATFORM_NAMES}`),
  new RegExp(`\\bcase\\s+${PLATFORM_NAMES}\\s*:`),
];

/** Files outside of the folders of platforms that ask which platform it is. */
export function platformForks(files: readonly SourceFile[], folders: readonly string[]): string[] {
  return files
    .filter(({ path }) => !folders.some((folder) => path.startsWith(folder)))
    .filter(({ text }) =>
      PLATFORM_FORKS.some((pattern) => pattern.test(text.replace(COMMENTS, ''))),
    )
    .map(({ path }) => `${path} asks which platform it is on`);
}

export function parkedTests(files: readonly SourceFile[]): string[] {
  return files.filter((file) => PARKED.test(file.text)).map((file) => `${file.path} parks a test`);
}

/** Every cycle once, as the list of files on it. Type imports count: a cycle of types is one too. */
export function importCycles(files: readonly SourceFile[]): string[] {
  const graph = new Map(files.map((file) => [file.path, localImportsOf(file)]));
  const done = new Set<string>();
  const cycles: string[] = [];

  function visit(path: string, trail: readonly string[]): void {
    const start = trail.indexOf(path);
    if (start >= 0) cycles.push([...trail.slice(start), path].join(' -> '));
    if (start >= 0 || done.has(path)) return;
    for (const target of graph.get(path) ?? []) visit(target, [...trail, path]);
    done.add(path);
  }

  for (const path of graph.keys()) visit(path, []);
  return cycles;
}

/** Modules that the table lets import each other, directly or around a corner. */
export function tableCycles(layers: Rules['layers']): string[] {
  const files = Object.entries(layers).map(([module, allowed]) => ({
    path: module,
    text: allowed
      .filter((target) => target !== '*')
      .map((target) => `import './${target}'`)
      .join('\n'),
  }));
  return importCycles(files);
}

/** Modules whose README is absent, or not of 10 to 30 lines. */
export function readmeProblems(
  modules: readonly string[],
  read: (module: string) => string | undefined,
): string[] {
  return modules.flatMap((module) => {
    const text = read(module);
    if (text === undefined) return [`${module}/ has no README.md`];
    const lines = text.trimEnd().split('\n').length;
    return lines < 10 || lines > 30 ? [`${module}/README.md has ${lines} lines, not 10 to 30`] : [];
  });
}

/** The rows `module | imports` of the layer table in ARCHITECTURE.md. */
export function layerTableIn(markdown: string): Record<string, readonly string[]> {
  const rows = markdown.matchAll(/^\| `(?<module>[a-z]+)` \|[^|]*\| (?<imports>[^|]*) \|$/gm);
  return Object.fromEntries(
    [...rows].map(({ groups }) => [groups?.module ?? '', importsIn(groups?.imports ?? '')]),
  );
}

function importsIn(cell: string): string[] {
  if (cell.startsWith('everything')) return ['*'];
  return cell.match(/[a-z]+/g)?.filter((word) => word !== 'nothing') ?? [];
}
