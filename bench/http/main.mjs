// npm run bench http [-- --runs N --gib N]: what reading bodies costs our HTTP client, Node's, and undici's where it can be
// found (NODE_PATH=FOLDER/node_modules). Takes turns; processor time decides, because wall time measures the others.
import { execFileSync, fork } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';

const here = import.meta.dirname;
const GIB = 1024 ** 3;
const BODY = 64 * 1024 ** 2;
const SMALL = { bytes: 1024, count: 20_000, atOnce: 16 };

export async function run(args) {
  const { values } = parseArgs({
    args: args.filter((arg) => arg !== '--'),
    options: { runs: { type: 'string', default: '3' }, gib: { type: 'string', default: '2' } },
  });
  const folder = await mkdtemp(join(tmpdir(), 'atoll-bench-http-'));
  const [key, cert] = certificate(folder);
  const server = fork(join(here, 'server.mjs'), [key, cert]);
  try {
    const ports = await message(server);
    const library = await bundled(folder);
    const big = { bytes: BODY, count: (Number(values.gib) * GIB) / BODY, atOnce: 8 };
    const measured = { cert, library, ports, runs: Number(values.runs) };
    console.log('| bodies | client | CPU s per GB | GB/s | peak MB |\n|---|---|---|---|---|');
    for (const scheme of ['http', 'https'])
      for (const hash of [false, true])
        await compare({ ...measured, ...big, scheme, hash }, perByte);
    console.log(
      '\n| requests | client | CPU ms per 1000 | per second | peak MB |\n|---|---|---|---|---|',
    );
    for (const scheme of ['http', 'https'])
      await compare({ ...measured, ...SMALL, scheme, hash: false }, perRequest);
  } finally {
    server.kill();
    await rm(folder, { recursive: true, force: true });
  }
}

async function compare(job, row) {
  const names = ['atoll', 'node:http', ...(hasUndici() ? ['undici'] : [])];
  const results = new Map(names.map((name) => [name, []]));
  for (let count = 0; count < job.runs; count += 1)
    for (const name of names) results.get(name).push(await measure(name, job));
  for (const [name, runs] of results) {
    const best = runs.toSorted((a, b) => a.cpu - b.cpu)[0];
    console.log(
      `| ${job.scheme}${job.hash ? ', sha256' : ''} | ${name} | ${row(best, job).join(' | ')} |`,
    );
  }
}

const perByte = ({ cpu, wall, rss }, { bytes, count }) => {
  const gb = (bytes * count) / 1e9;
  return [(cpu / gb).toFixed(2), (gb / wall).toFixed(2), rss.toFixed(0)];
};
const perRequest = ({ cpu, wall, rss }, { count }) => [
  ((cpu / count) * 1e6).toFixed(0),
  (count / wall).toFixed(0),
  rss.toFixed(0),
];

function measure(name, { scheme, bytes, count, atOnce, hash, cert, library, ports }) {
  const origin = `${scheme}://localhost:${ports[scheme]}`;
  const args = [name, origin, bytes, count, atOnce, hash, cert, library].map(String);
  return message(fork(join(here, 'clients.mjs'), args));
}

function message(child) {
  return new Promise((resolve, reject) => {
    child.once('message', resolve);
    child.once('exit', (code) => reject(new Error(`a process of the bench ended with ${code}`)));
  });
}

function hasUndici() {
  try {
    return Boolean(createRequire(import.meta.url).resolve('undici'));
  } catch {
    return false;
  }
}

function certificate(folder) {
  const [key, cert] = ['key.pem', 'cert.pem'].map((name) => join(folder, name));
  const files = ['-keyout', key, '-out', cert, '-subj', '/CN=localhost'];
  const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  execFileSync('openssl', ['req', ...kind, ...files, '-addext', 'subjectAltName=DNS:localhost'], {
    stdio: 'ignore',
  });
  return [key, cert];
}

/** The client as it is built: from its sources, without what is around it. */
async function bundled(folder) {
  const outfile = join(folder, 'http.mjs');
  const src = join(here, '..', '..', 'src');
  const lines = {
    'core/context.ts': 'silentContext',
    'http/server-routes.ts': 'createServerRoutes',
    'http/options.ts': 'HTTP_TUNING',
    'http/transport.ts': 'Transport',
  };
  const contents = Object.entries(lines).map(
    ([file, name]) => `export { ${name} } from './${file}';`,
  );
  await build({
    stdin: { contents: contents.join('\n'), resolveDir: src },
    bundle: true,
    format: 'esm',
    platform: 'node',
    outfile,
  });
  return outfile;
}
