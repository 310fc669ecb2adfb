// node tools/recompress/build.mjs [--check]: builds the recompressors for WebAssembly into assets/recompress/.
// With --check nothing is written: it fails unless what is there was built from these sources.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';

/** The compiler decides about every byte, of what is built and of what the standard library compresses. */
const GO = '1.26.8';
/** One for each output that the releases of klauspost/compress differ in. */
const VERSIONS = ['1.13.6', '1.15.9', '1.16.7', '1.18.2'];
const here = import.meta.dirname;
const assets = join(here, '..', '..', 'assets', 'recompress');

const modules = VERSIONS.map((version) => ({ version, wasm: build(version) }));
const index = {
  go: GO,
  modules: modules.map(({ version, wasm }) => ({
    version,
    bytes: wasm.length,
    sha256: createHash('sha256').update(wasm).digest('hex'),
  })),
};
if (process.argv.includes('--check')) check();
else write();

function build(version) {
  const folder = mkdtempSync(join(tmpdir(), 'atoll-recompress-'));
  try {
    const require = `klauspost/compress v${version}`;
    const mod = readFileSync(join(here, 'go.mod'), 'utf8');
    writeFileSync(join(folder, 'go.mod'), mod.replace(/klauspost\/compress v\S+/, require));
    for (const file of ['go.sum', 'main.go']) cpSync(join(here, file), join(folder, file));
    const flags = ['-trimpath', '-buildvcs=false', '-buildmode=c-shared', '-ldflags=-s -w -buildid='];
    const env = { CGO_ENABLED: '0', GOOS: 'wasip1', GOARCH: 'wasm', GOTOOLCHAIN: `go${GO}`, GOFLAGS: '' };
    execFileSync('go', ['build', ...flags, '-o', 'out.wasm', '.'], {
      cwd: folder,
      env: { ...process.env, ...env },
      stdio: 'inherit',
    });
    return readFileSync(join(folder, 'out.wasm'));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Together they are little larger than one alone. Text, because a bundle of one file holds assets as text. */
function write() {
  const all = Buffer.concat(modules.map(({ wasm }) => wasm));
  const params = {
    [constants.BROTLI_PARAM_LGWIN]: 24,
    [constants.BROTLI_PARAM_SIZE_HINT]: all.length,
  };
  mkdirSync(assets, { recursive: true });
  writeFileSync(
    join(assets, 'modules.br.b64'),
    brotliCompressSync(all, { params }).toString('base64').replaceAll(/.{1,4000}/g, '$&\n'),
  );
  writeFileSync(join(assets, 'index.json'), `${JSON.stringify(index, null, 2)}\n`);
}

/** What is packed is compared, not the packed form: another Node may pack it differently. */
function check() {
  const known = readFileSync(join(assets, 'index.json'), 'utf8');
  const packed = Buffer.from(readFileSync(join(assets, 'modules.br.b64'), 'utf8'), 'base64');
  const same =
    JSON.stringify(JSON.parse(known)) === JSON.stringify(index) &&
    brotliDecompressSync(packed).equals(Buffer.concat(modules.map(({ wasm }) => wasm)));
  console.log(same ? 'assets/recompress is what these sources give' : 'assets/recompress differs');
  process.exitCode = same ? 0 : 1;
}
