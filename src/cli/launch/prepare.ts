// Runs once, at the end of a build: writes what the launcher finds ready.
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentContext } from '../../core/context.ts';
import { runProgram } from '../../core/process.ts';
import { type CompiledChunk, type CompiledCode, openPack, writePack } from './code-pack.ts';
import { CODE_PACK, HELP_FILE, PROGRAM } from './files.ts';
import { startFullRegistry } from './full-registry.ts';
import {
  chunkLoader,
  compileChunk,
  compiledNow,
  compiledOf,
  type LoadedChunk,
} from './load-chunks.ts';

const cli = import.meta.dirname;
const root = join(cli, '..');
const HELP_TEXTS = 'cli/help-texts.js';
const IMAGES = 3;
const RECORD_MS = 120_000;

/**
 * The code of a short run that people wait for: V8 keeps the functions that ran, and compiles others when
 * they are called. Where no port can be opened or nothing be started there is none, and all works as well.
 */
async function recorded(folder: string): Promise<CompiledCode | undefined> {
  const registry = await startFullRegistry();
  const names = Array.from(
    { length: IMAGES },
    (_, n) => `  - name: ${registry.host}/image-${n}:v1`,
  );
  const set = join(folder, 'imageset.yaml');
  const head = ['kind: ImageSetConfiguration', 'apiVersion: mirror.openshift.io/v2alpha1'];
  writeFileSync(set, [...head, 'mirror:', '  additionalImages:', ...names, ''].join('\n'));
  const to = `docker://${registry.host}/mirror`;
  const sync = ['mirror', 'sync', '-c', set, '--to', to, '--insecure', '--dir', folder];
  try {
    // The first one fills the working folder, the second has nothing to do.
    for (const file of ['first', 'second']) await record(join(folder, file), sync, folder);
    return openPack(join(folder, 'second'));
  } finally {
    registry.stop();
  }
}

/** With a home of its own: how this machine reaches registries is no part of a build. */
async function record(file: string, words: readonly string[], home: string): Promise<void> {
  const program = [join(cli, 'record.js'), file, ...words];
  const options = { environment: { HOME: home }, timeoutMs: RECORD_MS };
  const { status, stderr } = await runProgram(silentContext(), process.execPath, program, options);
  if (status !== 0) throw new Error(`${words.join(' ')} ended with ${status}: ${stderr}`);
}

/** Every command is loaded, and help made with it: what that needs is compiled, and kept so. */
function helped(): ReadonlyMap<string, CompiledChunk> {
  const loaded: LoadedChunk[] = [];
  const load = chunkLoader({ root, loaded: (chunk) => loaded.push(chunk) });
  const { helpTexts } = load(HELP_TEXTS) as typeof import('./help-texts.ts');
  writeFileSync(join(cli, HELP_FILE), JSON.stringify(helpTexts()));
  return compiledOf(loaded);
}

async function prepare(folder: string): Promise<void> {
  const compiled = helped();
  const run = await recorded(folder).catch((error: unknown) => {
    process.stderr.write(`Built without the code of a run: ${error}\n`);
    return undefined;
  });
  const chunks = readdirSync(join(root, 'chunks')).map((name) => `chunks/${name}`);
  const code = [PROGRAM, ...chunks.sort()].map((name) => {
    const kept = run?.(name) ?? compiled.get(name) ?? compiledNow(compileChunk(root, name));
    return [name, kept] as const;
  });
  writeFileSync(join(cli, CODE_PACK), writePack(new Map(code)));
}

const folder = mkdtempSync(join(tmpdir(), 'atoll-build-'));
void prepare(folder).finally(() => rmSync(folder, { recursive: true }));
