import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Context } from '../../core/context.ts';
import { AtollError } from '../../core/errors.ts';
import { runProgram } from '../../core/process.ts';

const TIMEOUT_MS = 120_000;

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
  const args = ['template', releaseName(name), chart, '--include-crds'];
  const { status, stdout, stderr } = await runProgram(ctx, program, args, {
    timeoutMs: TIMEOUT_MS,
    env: {
      HELM_CACHE_HOME: join(folder, 'cache'),
      HELM_CONFIG_HOME: join(folder, 'config'),
      HELM_DATA_HOME: join(folder, 'data'),
      KUBECONFIG: '/dev/null',
    },
    hint: 'Install helm 3 and put it on the PATH, or list the images under additionalImages',
  });
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

function lastLines(text: string): string {
  return text.trim().split('\n').slice(-3).join(' ').slice(0, 600) || 'helm said nothing';
}
