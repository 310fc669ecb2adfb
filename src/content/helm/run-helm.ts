import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Context } from '../../core/context.ts';
import { AtollError, systemCodeOf } from '../../core/errors.ts';

const TIMEOUT_MS = 120_000;
const MAX_BYTES = 64 * 1024 * 1024;

/** A folder for charts and for everything helm writes; it goes away with the work. */
export async function withHelmFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'atoll-helm-'));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

export interface Rendering {
  /** The program; `helm` on the PATH by default. */
  readonly program: string | undefined;
  /** Folder for what helm keeps, so that it neither reads nor changes the user's. */
  readonly folder: string;
  readonly name: string;
  /** A chart archive or folder. */
  readonly chart: string;
}

/** What `helm template` makes of a chart with its own values, CRDs included. */
export async function renderChart(ctx: Context, rendering: Rendering): Promise<string> {
  const { program = 'helm', folder, name, chart } = rendering;
  const child = spawn(program, ['template', releaseName(name), chart, '--include-crds'], {
    signal: AbortSignal.any([ctx.signal, AbortSignal.timeout(TIMEOUT_MS)]),
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      HELM_CACHE_HOME: join(folder, 'cache'),
      HELM_CONFIG_HOME: join(folder, 'config'),
      HELM_DATA_HOME: join(folder, 'data'),
      KUBECONFIG: '/dev/null',
    },
  });
  const output = Promise.all([collect(child.stdout), collect(child.stderr)]);
  output.catch(() => child.kill('SIGKILL'));
  const status = await new Promise<number>((resolve, reject) => {
    child.once('error', (error) => reject(notRun(ctx, program, error)));
    child.once('close', (code) => resolve(code ?? 128));
  });
  const [stdout, stderr] = await output;
  if (status === 0) return stdout;
  throw new AtollError('PROGRAM_FAILED', `Cannot render chart "${name}": ${lastLines(stderr)}`, {
    hint: `Run "helm template ${name} …" to see all of it`,
    details: { status },
  });
}

/** What helm accepts as the name of a release. Repositories name charts as they like, also like options. */
function releaseName(name: string): string {
  const words = name.toLowerCase().match(/[a-z0-9]+/g) ?? ['chart'];
  return words.join('-').slice(0, 53).replace(/-$/, '');
}

async function collect(stream: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream) {
    size += chunk.length;
    if (size > MAX_BYTES)
      throw new AtollError('PROGRAM_FAILED', 'A chart renders to too much text');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function notRun(ctx: Context, program: string, cause: Error): unknown {
  if (ctx.signal.aborted) return ctx.signal.reason;
  if (cause.name === 'AbortError') {
    return new AtollError('TIMED_OUT', `"${program}" took longer than ${TIMEOUT_MS / 1000} s`);
  }
  if (systemCodeOf(cause) !== 'ENOENT') {
    return new AtollError('PROGRAM_FAILED', `Cannot run "${program}": ${cause.message}`, { cause });
  }
  return new AtollError('PROGRAM_MISSING', `Cannot run "${program}": it is not installed here`, {
    hint: 'Install helm 3 and put it on the PATH, or list the images under additionalImages',
    cause,
  });
}

function lastLines(text: string): string {
  return text.trim().split('\n').slice(-3).join(' ').slice(0, 600) || 'helm said nothing';
}
