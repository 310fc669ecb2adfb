// Runs once, at the end of a build: writes what the launcher finds ready.
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { writePack } from './code-pack.ts';
import { CODE_PACK, HELP_FILE, PROGRAM } from './files.ts';
import { chunkLoader, compileChunk, type LoadedChunk, sumOf } from './load-chunks.ts';

const cli = import.meta.dirname;
const root = join(cli, '..');
const HELP_TEXTS = 'cli/help-texts.js';

// Every command is loaded, and help made with it: what that needs is compiled, and kept so.
const loaded = new Map<string, LoadedChunk>();
const load = chunkLoader({ root, loaded: (chunk) => loaded.set(chunk.name, chunk) });
const { helpTexts } = load(HELP_TEXTS) as typeof import('./help-texts.ts');
writeFileSync(join(cli, HELP_FILE), JSON.stringify(helpTexts()));

const names = readdirSync(join(root, 'chunks')).map((name) => `chunks/${name}`);
const kept = [PROGRAM, ...names.sort()].map((name) => loaded.get(name) ?? compileChunk(root, name));
const compiled = kept.map(
  ({ name, source, script }) =>
    [name, { sum: sumOf(source), code: script.createCachedData() }] as const,
);
writeFileSync(join(cli, CODE_PACK), writePack(new Map(compiled)));
