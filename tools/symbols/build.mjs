// node tools/symbols/build.mjs [--check]: builds the loops over symbols for WebAssembly into assets/symbols/. With --check
// nothing is written: it fails unless what is there was built from these sources. `npm ci` here brings the compiler.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const here = import.meta.dirname;
const asset = join(here, '..', '..', 'assets', 'symbols', 'module.wasm.b64');
const compiler = join(here, 'node_modules', 'assemblyscript', 'bin', 'asc.js');

if (!existsSync(compiler)) execFileSync('npm', ['ci'], { cwd: here, stdio: 'inherit' });
// Text, because a bundle of one file holds assets as text.
const text = build().toString('base64').replaceAll(/.{1,120}/g, '$&\n');
if (process.argv.includes('--check')) check();
else {
  mkdirSync(join(asset, '..'), { recursive: true });
  writeFileSync(asset, text);
}

function build() {
  const folder = mkdtempSync(join(tmpdir(), 'atoll-symbols-'));
  try {
    const out = join(folder, 'out.wasm');
    // No runtime: nothing is allocated, and nothing of the compiler's library is linked in.
    const flags = ['--runtime', 'stub', '--optimizeLevel', '3', '--shrinkLevel', '0', '--noAssert'];
    const args = [compiler, 'assembly/index.ts', ...flags, '--outFile', out];
    execFileSync(process.execPath, args, { cwd: here, stdio: 'inherit' });
    return readFileSync(out);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function check() {
  const same = existsSync(asset) && readFileSync(asset, 'utf8') === text;
  console.log(same ? 'assets/symbols is what these sources give' : 'assets/symbols differs');
  process.exitCode = same ? 0 : 1;
}
