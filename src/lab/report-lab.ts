import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { readAsset } from '../core/assets.ts';
import type { Context } from '../core/context.ts';
import { AtollError, messageOf } from '../core/errors.ts';
import type { EventOf, RecordedEvent } from '../core/events.ts';
import { readText } from '../core/files.ts';
import { readReport } from '../mirror/flow/report.ts';
import { WorkingDir } from '../mirror/flow/working-dir.ts';
import { diagnose } from '../observe/diagnose.ts';
import { readTimeline } from '../observe/timeline/read-timeline.ts';
import { timelineSvg } from '../observe/timeline/svg.ts';
import { mirrorHost } from '../site/mirror-place.ts';
import type { OpenSite } from '../site/open-site.ts';
import type {
  ReportFinding,
  ReportImage,
  ReportInput,
  ReportNode,
  ReportStage,
} from '../site/report/report-input.ts';
import { writeReport } from '../site/report/write-report.ts';
import type { StageWork } from '../site/stages/stage.ts';
import type { UpResult } from '../site/up.ts';
import { readEvents } from '../workflow/event-log.ts';
import { boardOf, logBundleOf } from './lab-paths.ts';
import { Board } from './node/board.ts';
import type { PulledImage } from './node/node-puller.ts';
import type { LabOptions } from './prepare-lab.ts';

const MAX_FINDINGS = 3;

const SIMULATED: readonly string[] = [
  'the machines: each is a process of its own with its own file system root',
  'the Kubernetes that would run on them: a folder of facts stands for its API',
  'the internet: a registry on this machine, with releases made here; programs in the images are made-up bytes',
];
const REAL: readonly string[] = [
  'images, manifests, layers and digests, in the formats of OCI and OpenShift, each verified when pulled',
  'release signatures (GPG and Sigstore), the update graph, the operator catalog with its dependencies',
  'the mirror registry with TLS, users and access log, and every byte that moved into it',
  'registries.conf, pull secret, trust bundle, Ignition and install-config: the files a real install gets',
  'the logs: journals and service records in the formats of a real bootstrap',
];

/** Writes the report of a run and says where. A lab that came up does not fail because it could not be written. */
export async function reportLab(
  ctx: Context,
  open: OpenSite,
  result: UpResult,
  options: Pick<LabOptions, 'break' | 'airgap'> & { readonly report: string },
): Promise<string | undefined> {
  try {
    await writeReport(options.report, await gather(ctx, open, result, options));
    ctx.emit({ type: 'file.written', path: options.report });
    return options.report;
  } catch (error) {
    ctx.signal.throwIfAborted();
    ctx.emit({ type: 'warning.raised', message: `Cannot write the report: ${messageOf(error)}` });
    return undefined;
  }
}

async function gather(
  ctx: Context,
  { work, journal }: OpenSite,
  result: UpResult,
  options: Pick<LabOptions, 'break'>,
): Promise<ReportInput> {
  const { site, paths } = work;
  const events = await readEvents(result.directory);
  const bundle = journal.history('cluster') ? logBundleOf(paths.state) : undefined;
  return {
    name: site.name,
    outcome: result.succeeded ? 'succeeded' : 'failed',
    error: errorOf(result),
    run: result.run,
    startedAt: events[0]?.at ?? ctx.now().toISOString(),
    durationMs: events.find((event) => event.type === 'run.finished')?.durationMs ?? 0,
    facts: factsOf(work, options),
    stages: stagesOf(result, events),
    images: await imagesOf(work),
    nodes: await nodesOf(work, result),
    timelineSvg: bundle && (await pictureOf(ctx, bundle)),
    findings: result.succeeded || !bundle ? [] : await findingsOf(ctx, bundle),
    warnings: events.filter((event) => event.type === 'warning.raised'),
    simulated: SIMULATED,
    real: REAL,
    siteFile: { path: site.path, text: await readText(site.path) },
    version: readAsset('version.txt').trim(),
  };
}

function errorOf({ succeeded, error }: UpResult): ReportInput['error'] {
  if (succeeded) return undefined;
  const { code, hint } = error instanceof AtollError ? error : {};
  return { code, hint, message: messageOf(error) };
}

function factsOf({ site }: StageWork, options: Pick<LabOptions, 'break'>): ReportInput['facts'] {
  const across = site.mirror.flow === 'bundle' ? 'in a bundle: saved, then loaded' : 'straight';
  return [
    ['Release', site.release.version ?? site.release.image ?? ''],
    ['Mode', site.mode],
    ['Mirror', mirrorHost(site)],
    ['Images went', across],
    ...(options.break ? [['Broken on purpose', options.break] as const] : []),
  ];
}

function stagesOf(result: UpResult, events: readonly RecordedEvent[]): ReportStage[] {
  const begin = Date.parse(events[0]?.at ?? '');
  const started = new Map(
    events
      .filter(
        (event): event is RecordedEvent & EventOf<'step.started'> => event.type === 'step.started',
      )
      .map(({ step, at }) => [step, Date.parse(at) - begin]),
  );
  return result.outcomes.map(({ step, outcome, reason, durationMs }) => ({
    id: step,
    title: step,
    outcome,
    reason,
    startMs: started.get(step) ?? 0,
    durationMs,
  }));
}

async function imagesOf({ paths }: StageWork): Promise<ReportImage[]> {
  const report = await readReport(new WorkingDir(paths.mirror)).catch(() => undefined);
  return (report?.images ?? []).map(
    ({ kind, source, target, outcome, reason, sizeBytes, copiedBytes }) => ({
      kind,
      source,
      target,
      outcome,
      reason,
      sizeBytes,
      copiedBytes,
    }),
  );
}

/** Only where the machines of this lab were switched on. */
async function nodesOf({ paths }: StageWork, { outcomes }: UpResult): Promise<ReportNode[]> {
  const reached = outcomes.some(({ step, outcome }) => step === 'cluster' && outcome !== 'not-run');
  return reached ? reportNodes(paths.state) : [];
}

async function pictureOf(ctx: Context, bundle: string): Promise<string | undefined> {
  const state = await readTimeline(ctx, [bundle]).catch(() => undefined);
  return state && timelineSvg(state, { shortestMs: 1000 });
}

async function findingsOf(ctx: Context, bundle: string): Promise<ReportFinding[]> {
  const { findings } = await diagnose(ctx, [bundle]);
  return findings.slice(0, MAX_FINDINGS).map(({ id, cause, remedy, commands, evidence }) => ({
    id,
    cause,
    remedy,
    commands,
    evidence: evidence.map(({ file, line, text }) => ({ place: `${file}:${line}`, text })),
  }));
}

/** Every machine of a lab: how far it came and what it pulled, from what it told the others. */
export async function reportNodes(state: string): Promise<ReportNode[]> {
  const board = new Board(boardOf(state));
  const folders = await readdir(join(boardOf(state), '..')).catch(() => []);
  const names = folders.filter((name) => name !== 'board').toSorted();
  return Promise.all(names.map((name) => reportNode(board, name)));
}

async function reportNode(board: Board, name: string): Promise<ReportNode> {
  const failed = (await board.read(`failed/${name}`)) as { message?: string } | undefined;
  const pulls = ((await board.read(`pulls/${name}`)) ?? []) as readonly PulledImage[];
  return {
    name,
    state: failed ? 'failed' : await stateOf(board, name),
    message: failed?.message,
    bytes: pulls.reduce((sum, { bytes }) => sum + bytes, 0),
    pulls: pulls.map(({ image, endpoint }) => ({ image, endpoint })),
  };
}

async function stateOf(board: Board, name: string): Promise<ReportNode['state']> {
  if (name === 'bootstrap')
    return (await board.read('bootstrap-complete')) === undefined ? 'stopped' : 'complete';
  return (await board.read(`node-joined/${name}`)) === undefined ? 'stopped' : 'joined';
}
