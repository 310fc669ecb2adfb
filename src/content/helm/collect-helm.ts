import { access, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Context } from '../../core/context.ts';
import { AtollError } from '../../core/errors.ts';
import { mapBounded } from '../../core/pool.ts';
import { runProgram } from '../../core/process.ts';
import type { Platform } from '../../oci/descriptor.ts';
import { parseReference } from '../../oci/reference.ts';
import { type CollectDeps, failureOf } from '../collecting.ts';
import {
  type CollectFailure,
  type Collection,
  type ContentImage,
  EMPTY_COLLECTION,
  mergeCollections,
} from '../content-image.ts';
import type { HelmChart, HelmRepository, ImageSet } from '../image-set/image-set.ts';
import { everyChart, findChart, parseChartIndex } from './chart-index.ts';
import type { ChartLogin } from './chart-login.ts';
import { fetchChart, pullChart } from './fetch-chart.ts';
import { renderedImages } from './rendered-images.ts';

type HelmDeps = Pick<CollectDeps, 'source' | 'web' | 'helm' | 'chartLogin'>;

/** A chart, and how to get it onto this machine. */
interface ChartJob {
  readonly name: string;
  /** `web 1.2.3`, for messages and the report. */
  readonly title: string;
  readonly imagePaths: readonly string[];
  readonly valuesFiles: readonly string[];
  readonly platforms?: readonly Platform[] | undefined;
  readonly place: (folder: string) => Promise<string>;
}

const AT_ONCE = 2;

/** The images of every chart that `helm` of an image set asks for. A chart that fails costs no other. */
export async function collectHelm(
  ctx: Context,
  { helm }: Pick<ImageSet, 'helm'>,
  deps: HelmDeps,
): Promise<Collection> {
  const failures: CollectFailure[] = [];
  const jobs = helm.local.map(localJob);
  for (const repository of helm.repositories) {
    jobs.push(...(await repositoryJobs(ctx, repository, deps, failures)));
  }
  return mergeCollections([
    await collectCharts(ctx, jobs, deps),
    { ...EMPTY_COLLECTION, failures },
  ]);
}

/** The images of charts that are on this machine. */
export function collectLocalCharts(
  ctx: Context,
  charts: readonly HelmChart[],
  deps: Pick<CollectDeps, 'helm'> = {},
): Promise<Collection> {
  return collectCharts(ctx, charts.map(localJob), deps);
}

async function collectCharts(
  ctx: Context,
  jobs: readonly ChartJob[],
  deps: Pick<CollectDeps, 'helm'>,
): Promise<Collection> {
  if (jobs.length === 0) return EMPTY_COLLECTION;
  const parts = await withHelmFolder((folder) =>
    mapBounded(ctx, AT_ONCE, jobs, (job) => collectChart(ctx, job, deps, folder)),
  );
  return mergeCollections(parts);
}

function localJob({ name, version, path = '', ...asked }: HelmChart): ChartJob {
  const { imagePaths, valuesFiles, platforms } = asked;
  const place = async () => {
    try {
      await access(path);
      return path;
    } catch (cause) {
      const message = `Cannot read chart "${name}" at "${path}"`;
      throw new AtollError('FILE_UNREADABLE', message, { cause, details: { path } });
    }
  };
  const title = version ? `${name} ${version}` : name;
  return { name, title, imagePaths, valuesFiles, platforms, place };
}

/** What a repository offers of what is asked for; a chart it does not have is a failure of its own. */
async function repositoryJobs(
  ctx: Context,
  repository: HelmRepository,
  deps: HelmDeps,
  failures: CollectFailure[],
): Promise<ChartJob[]> {
  const attempt = async <T>(
    subject: string,
    work: () => T | Promise<T>,
  ): Promise<T | undefined> => {
    try {
      return await work();
    } catch (error) {
      ctx.signal.throwIfAborted();
      failures.push(failureOf(subject, error));
      return undefined;
    }
  };
  const subject = `helm repository ${repository.name}`;
  if (repository.url.startsWith('oci://')) {
    const jobs = await attempt(subject, () => registryJobs(ctx, repository, deps));
    return jobs ?? [];
  }
  const login = await deps.chartLogin?.(repository.url);
  const index = await attempt(subject, () => readIndex(ctx, repository, deps, login));
  if (!index) return [];
  const asked = repository.charts.length === 0 ? everyChart(index) : repository.charts;
  const found = await Promise.all(
    asked.map((chart) => attempt(`chart ${chart.name}`, () => findChart(index, repository, chart))),
  );
  return found.flatMap((chart) => {
    if (!chart) return [];
    const { name, version } = chart;
    // A chart may lie elsewhere: the login is for the repository.
    const own = sameHost(chart.url, repository.url) ? login : undefined;
    const place = (folder: string) => fetchChart(ctx, chart, deps, folder, own);
    return [{ ...chart.asked, name, title: `${name} ${version}`, place }];
  });
}

const sameHost = (a: string, b: string): boolean => new URL(a).origin === new URL(b).origin;

async function readIndex(
  ctx: Context,
  repository: HelmRepository,
  deps: HelmDeps,
  login: ChartLogin | undefined,
) {
  const url = `${repository.url.replace(/\/+$/, '')}/index.yaml`;
  const bytes = await deps.web.get(ctx, url, { login });
  if (bytes) return parseChartIndex(Buffer.from(bytes).toString('utf8'), repository);
  throw new AtollError('INPUT_INVALID', `Cannot find a Helm repository at ${repository.url}`, {
    hint: 'Check the URL: below it there has to be an index.yaml',
  });
}

function registryJobs(ctx: Context, repository: HelmRepository, deps: HelmDeps): ChartJob[] {
  if (repository.charts.length === 0) {
    throw new AtollError('INPUT_INVALID', `Cannot list the charts of ${repository.url}`, {
      hint: 'Name the charts and their versions: registries have no index of charts',
    });
  }
  return repository.charts.map((chart) => ({
    name: chart.name,
    title: `${chart.name} ${chart.version ?? ''}`.trimEnd(),
    imagePaths: chart.imagePaths,
    valuesFiles: chart.valuesFiles,
    platforms: chart.platforms,
    place: (folder) => pullChart(ctx, repository, chart, deps, folder),
  }));
}

async function collectChart(
  ctx: Context,
  job: ChartJob,
  deps: Pick<CollectDeps, 'helm'>,
  folder: string,
): Promise<Collection> {
  const subject = `chart ${job.title}`;
  try {
    const chart = await job.place(folder);
    const { name, valuesFiles } = job;
    const yaml = await renderChart(ctx, { program: deps.helm, folder, name, chart, valuesFiles });
    const failures: CollectFailure[] = [];
    const images = renderedImages(yaml, job.imagePaths).flatMap(({ image, object }) => {
      try {
        return [imageOf(image, object, job)];
      } catch (error) {
        failures.push(failureOf(`image ${image} of ${subject}`, error));
        return [];
      }
    });
    const none = { subject, message: 'No images were found in what it renders to' };
    return { ...EMPTY_COLLECTION, images, failures, warnings: images.length === 0 ? [none] : [] };
  } catch (error) {
    ctx.signal.throwIfAborted();
    return { ...EMPTY_COLLECTION, failures: [failureOf(subject, error)] };
  }
}

function imageOf(image: string, object: string, { title, platforms }: ChartJob): ContentImage {
  const source = parseReference(image);
  const tagged = (source.tag ?? source.digest) ? source : { ...source, tag: 'latest' };
  return {
    kind: 'helm',
    source: tagged,
    digest: source.digest,
    platforms,
    reason: `${object} of chart ${title}`,
    chart: title,
    sigstore: 'wanted',
  };
}

const TIMEOUT_MS = 120_000;

/** A folder for charts and for everything helm writes; it goes away with the work. */
async function withHelmFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'atoll-helm-'));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

interface Rendering {
  /** The program; `helm` on the PATH by default. */
  readonly program: string | undefined;
  /** Folder for what helm keeps, so that it neither reads nor changes the user's. */
  readonly folder: string;
  readonly name: string;
  /** A chart archive or folder. */
  readonly chart: string;
  readonly valuesFiles: readonly string[];
}

/** What `helm template` makes of a chart with its own values and those that are given, CRDs included. */
async function renderChart(ctx: Context, rendering: Rendering): Promise<string> {
  const { program = 'helm', folder, name, chart, valuesFiles } = rendering;
  const values = valuesFiles.flatMap((file) => ['--values', file]);
  const args = ['template', releaseName(name), chart, '--include-crds', ...values];
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
    hint: /missing in charts/.test(stderr)
      ? 'Fetch its sub-charts first: helm dependency build CHART'
      : `Run "helm template ${name} …" to see all of it; what it wants to be told goes into valuesFiles`,
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
