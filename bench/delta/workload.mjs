// Two versions of layers as a z-stream changes them: Go programs that were built again, and a tree of packages of which
// some are newer. Each is compressed by the real programs: gzip, Go's standard library, and pgzip.
import { execFileSync } from 'node:child_process';
import { createCipheriv, createHash } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, createWriteStream, openSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { finished } from 'node:stream/promises';

const root = join(import.meta.dirname, '..', '..');
export const COMPRESSORS = ['gzip', 'go', 'pgzip'];
const MB = 1024 * 1024;
const DAY = 86_400;
const FIRST = 1_780_000_000;

/** Old and new tars, by name: programs and packages, or one of 2 GiB. */
export async function makeTars(folder, packagesMiB, isHuge) {
  const layers = isHuge
    ? { huge }
    : { 'Go programs': goPrograms, packages: (to, version) => packages(to, version, packagesMiB) };
  const pairs = [];
  for (const [name, make] of Object.entries(layers)) {
    const tars = [];
    for (const version of [1, 2]) {
      const tree = join(folder, `${name.replace(' ', '-')}-${version}`);
      await mkdir(tree, { recursive: true });
      await make(tree, version);
      tars.push(tarOf(tree, version));
    }
    pairs.push({ name, old: tars[0], fresh: tars[1] });
  }
  return pairs;
}

/** Every file is as old as its build, as in an image that was built again. */
function tarOf(tree, version) {
  const tar = `${tree}.tar`;
  const time = `--mtime=@${FIRST + version * 30 * DAY}`;
  const owner = ['--owner=0', '--group=0', '--numeric-owner'];
  execFileSync('tar', ['-cf', tar, '--sort=name', time, ...owner, '-C', tree, '.']);
  return tar;
}

const IMPORTS = [
  ['net/http', 'crypto/tls', 'encoding/json', 'text/template', 'archive/tar', 'compress/gzip'],
  ['go/types', 'go/parser', 'go/printer', 'encoding/xml', 'html/template', 'net/http/httputil'],
  ['database/sql', 'image/png', 'image/jpeg', 'encoding/gob', 'net/rpc', 'regexp', 'net/http'],
];
/** What only the newer version links moves all that comes behind it. */
const NEWER = ['net/smtp', 'compress/lzw', 'encoding/csv', 'text/tabwriter'];

async function goPrograms(tree, version) {
  for (const [number, imports] of IMPORTS.entries()) {
    const source = `${tree}-source-${number}`;
    await mkdir(source, { recursive: true });
    await writeFile(join(source, 'go.mod'), `module example.com/tool${number}\n\ngo 1.24\n`);
    const all = version === 1 ? imports : [...imports, NEWER[number], NEWER[3]];
    await writeFile(join(source, 'main.go'), goMain(number, version, all));
    const flags = [
      '-trimpath',
      '-buildvcs=false',
      `-ldflags=-s -w -X main.version=4.21.${version}`,
    ];
    const out = join(tree, 'usr', 'bin', `tool${number}`);
    execFileSync('go', ['build', ...flags, '-o', out, '.'], { cwd: source, stdio: 'inherit' });
  }
}

/** A few hundred functions, of which one in ten differs; the libraries are kept by naming something of each. */
function goMain(number, version, imports) {
  const functions = Array.from({ length: 400 }, (_, at) => {
    const change =
      version === 2 && at % 10 === 3 ? `\n\tif n == ${at} {\n\t\treturn n - 1\n\t}` : '';
    return `func step${at}(n int) int {${change}\n\tfor i := 0; i < n; i++ {\n\t\tn += i * ${at + number}\n\t}\n\treturn n\n}`;
  });
  const calls = Array.from({ length: 400 }, (_, at) => `step${at}`).join(', ');
  const kept = imports.map((path) => `\t${KEEP[path]},`).join('\n');
  return `package main

import (
${imports.map((path) => `\t"${path}"`).join('\n')}
\t"fmt"
\t"os"
)

var version = "none"

var steps = []func(int) int{${calls}}

var kept = []any{
${kept}
}

${functions.join('\n\n')}

func main() {
\tn := len(os.Args)
\tfor _, step := range steps {
\t\tn = step(n)
\t}
\tfmt.Println(version, n, kept)
}
`;
}

const KEEP = {
  'net/http': 'http.ListenAndServe',
  'crypto/tls': 'tls.Dial',
  'encoding/json': 'json.Unmarshal',
  'text/template': 'template.New',
  'archive/tar': 'tar.NewReader',
  'compress/gzip': 'gzip.NewReader',
  'go/types': 'types.NewPackage',
  'go/parser': 'parser.ParseFile',
  'go/printer': 'printer.Fprint',
  'encoding/xml': 'xml.Unmarshal',
  'html/template': 'template.New',
  'net/http/httputil': 'httputil.NewSingleHostReverseProxy',
  'database/sql': 'sql.Open',
  'image/png': 'png.Decode',
  'image/jpeg': 'jpeg.Decode',
  'encoding/gob': 'gob.NewDecoder',
  'net/rpc': 'rpc.Dial',
  regexp: 'regexp.Compile',
  'net/smtp': 'smtp.SendMail',
  'compress/lzw': 'lzw.NewReader',
  'encoding/csv': 'csv.NewReader',
  'text/tabwriter': 'tabwriter.NewWriter',
};

/** The packages this project is built with, but for giants; in the newer version one in five was updated, and some small ones are new. */
async function packages(tree, version, mebibytes) {
  const modules = join(root, 'node_modules');
  const names = (await readdir(modules)).filter((name) => !name.startsWith('.')).toSorted();
  let left = mebibytes * MB;
  for (const [number, name] of names.entries()) {
    const files = await filesOf(join(modules, name));
    const bytes = files.reduce((sum, { size }) => sum + size, 0);
    if (bytes > left / 3) continue;
    left -= bytes;
    if (version === 1 && number % 25 === 3 && bytes < MB) continue;
    const to = join(tree, 'usr', 'lib', name);
    await cp(join(modules, name), to, { recursive: true, verbatimSymlinks: true });
    if (version === 2 && number % 5 === 0)
      for (const { path } of await filesOf(to)) await update(path);
  }
}

/** Four files of 512 MiB: lines that repeat, and in every eighth MiB letters that hardly compress; one in 64 is new. */
async function huge(tree, version) {
  for (let number = 0; number < 4; number += 1) {
    const out = createWriteStream(join(tree, `file${number}`));
    for (let block = 0; block < 512; block += 1) {
      const isNew = version === 2 && block % 64 === 8;
      const line = `a line of file ${number}, block ${block}, as it always was\n`;
      const bytes =
        block % 8 === 0 ? letters(`${number} ${block} ${isNew}`) : Buffer.alloc(MB, line);
      if (!out.write(bytes)) await once(out, 'drain');
    }
    out.end();
    await finished(out);
  }
}

function letters(seed) {
  const key = createHash('sha256').update(seed).digest();
  const noise = createCipheriv('aes-256-ctr', key, Buffer.alloc(16)).update(Buffer.alloc(MB));
  return Buffer.from(noise.toString('base64')).subarray(0, MB);
}

async function filesOf(folder) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  return await Promise.all(paths.map(async (path) => ({ path, size: (await stat(path)).size })));
}

/** Lines of a text that were written anew; in all else some bytes that moved and some that changed. */
async function update(file) {
  const bytes = await readFile(file);
  await writeFile(
    file,
    bytes.includes(0) ? rebuilt(bytes) : edited(bytes.toString('latin1'), file),
  );
}

function edited(text, file) {
  const word = (at) =>
    createHash('sha256')
      .update(`${basename(file)} ${at}`)
      .digest('base64');
  const lines = text.split('\n').map((line, at) => (at % 12 === 7 ? `${line} ${word(at)}` : line));
  return Buffer.from(lines.join('\n'), 'latin1');
}

function rebuilt(bytes) {
  const moved = Buffer.concat([
    bytes.subarray(0, 4096),
    Buffer.from('a new function'.repeat(40)),
    bytes.subarray(4096),
  ]);
  for (let at = 0; at < moved.length; at += 61) moved[at] = (moved[at] + 16) & 255;
  return moved;
}

/** The compressors as one native program, besides gzip itself. */
export async function buildCompressor(folder) {
  const recompress = join(root, 'tools', 'recompress');
  const source = join(folder, 'compressor');
  await mkdir(source, { recursive: true });
  for (const file of ['go.mod', 'go.sum']) await cp(join(recompress, file), join(source, file));
  await writeFile(join(source, 'main.go'), COMPRESSOR);
  execFileSync('go', ['build', '-o', 'compressor', '.'], { cwd: source, stdio: 'inherit' });
  return join(source, 'compressor');
}

const COMPRESSOR = `package main

import (
	"compress/gzip"
	"io"
	"os"

	"github.com/klauspost/pgzip"
)

func main() {
	var out io.WriteCloser = gzip.NewWriter(os.Stdout)
	if os.Args[1] == "pgzip" {
		out = pgzip.NewWriter(os.Stdout)
	}
	if _, err := io.Copy(out, os.Stdin); err != nil {
		panic(err)
	}
	if err := out.Close(); err != nil {
		panic(err)
	}
}
`;

const commandOf = (compressor, name) =>
  name === 'gzip' ? ['gzip', '-c', '-n'] : [compressor, name];

export function compress(compressor, tar, name) {
  const blob = `${tar}.${name}`;
  const [input, output] = [openSync(tar, 'r'), openSync(blob, 'w')];
  const [program, ...args] = commandOf(compressor, name);
  execFileSync(program, args, { stdio: [input, output, 'inherit'] });
  for (const file of [input, output]) closeSync(file);
  return blob;
}

/** Processor seconds of the compressor itself: what it took to compress again could not be less. */
export function nativeSeconds(compressor, tar, name) {
  const script = '"$@" < "$TAR" > /dev/null; times';
  const args = ['-c', script, 'sh', ...commandOf(compressor, name)];
  const said = execFileSync('sh', args, { env: { ...process.env, TAR: tar }, encoding: 'utf8' });
  const [, children = ''] = said.split('\n');
  return [...children.matchAll(/(\d+)m([\d.]+)s/g)].reduce(
    (sum, [, minutes, seconds]) => sum + Number(minutes) * 60 + Number(seconds),
    0,
  );
}
