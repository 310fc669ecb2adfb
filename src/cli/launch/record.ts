// Runs a command line as the launcher does, and leaves the code of what it ran in a file: record.js FILE WORDS...
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { writePack } from './code-pack.ts';
import { PROGRAM } from './files.ts';
import { chunkLoader, compiledOf, type LoadedChunk } from './load-chunks.ts';

const [file = ''] = process.argv.splice(2, 1);
const loaded: LoadedChunk[] = [];
process.on('exit', () => writeFileSync(file, writePack(compiledOf(loaded))));
const root = join(import.meta.dirname, '..');
chunkLoader({ root, loaded: (chunk) => loaded.push(chunk) })(PROGRAM);
