import { join } from 'node:path';
import { componentOf, type Payload, readPayload } from '../../content/release/payload/payload.ts';
import type { Context } from '../../core/context.ts';
import { AtollError, messageOf } from '../../core/errors.ts';
import { writeFileAtomic } from '../../core/files.ts';
import { sleep } from '../../core/retry.ts';
import { formatReference } from '../../oci/reference.ts';
import {
  CLUSTER_BOOTSTRAP_STAGE,
  HAND_OVER_STAGES,
  RENDER_STAGES,
} from '../../openshift/bootstrap/bootkube-stages.ts';
import { INSTALL_STEPS } from '../../openshift/bootstrap/later-steps.ts';
import type { BootstrapStep } from '../../openshift/bootstrap/step.ts';
import { REQUIRED_PODS } from '../../openshift/bootstrap/steps.ts';
import type { Board } from './board.ts';
import type { NodeJournal } from './node-journal.ts';
import type { NodePuller } from './node-puller.ts';
import type { NodeSpec } from './node-spec.ts';

/** A machine of the lab: its instructions, its logs, its way to images, and the cluster around it. */
export interface LabNode {
  readonly spec: NodeSpec;
  readonly journal: NodeJournal;
  readonly puller: NodePuller;
  readonly board: Board;
}

const RETRY_MS = 20;
const PROGRESS_STAGES = INSTALL_STEPS.filter(({ service }) => service === 'progress');
const OVERLAY_COMPLETE = 'Node image overlay complete; switching back to multi-user.target';

/**
 * The bootstrap machine, in the order of the real one: node image, release image, CRI-O, kubelet,
 * bootkube with its stages, hand-over to the masters.
 */
export async function runBootstrap(ctx: Context, node: LabNode): Promise<void> {
  const payload = await pullNodeImage(ctx, node);
  await pullReleaseImage(ctx, node);
  await configureRuntime(ctx, node, payload);
  await runBootkube(ctx, node, payload);
}

/** Unit 1: the first contact with the mirror. Its loops are endless in reality. */
async function pullNodeImage(ctx: Context, { spec, journal, puller }: LabNode): Promise<Payload> {
  const say = (message: string) => journal.write('node-image-pull', 'node-image-pull.sh', message);
  const query = {
    say,
    patience: spec.patience,
    again: 'Failed to query MCO image from release; retrying...',
  };
  const fetch = {
    say,
    patience: spec.patience,
    again: 'Failed to fetch release image; retrying...',
  };
  say('Currently on CoreOS version of an atoll lab');
  const found = await insist(ctx, query, () => puller.find(ctx, spec.releaseImage));
  const payload = await readPayload(ctx, found.repository, found.descriptor);
  const image = formatReference(componentOf(payload, 'rhel-coreos').image);
  say(`Target node image is ${image}`);
  await insist(ctx, fetch, () => puller.pull(ctx, image));
  say('Checking out node image content');
  journal.write('node-image-overlay', 'node-image-overlay.sh', 'Overlaying node image content');
  journal.write('node-image-finish', 'echo', OVERLAY_COMPLETE);
  return payload;
}

interface Loop {
  readonly say: (message: string) => void;
  readonly patience: number;
  /** What the script says before it tries once more. */
  readonly again: string;
}

/** Tries until it works, as the scripts do; after `patience` tries the lab has seen enough. */
async function insist<T>(
  ctx: Context,
  { say, patience, again }: Loop,
  work: () => Promise<T>,
): Promise<T> {
  for (let count = 1; ; count += 1) {
    try {
      return await work();
    } catch (error) {
      ctx.signal.throwIfAborted();
      say(`Error: ${messageOf(error)}`);
      say(again);
      if (count >= patience) throw error;
      await sleep(ctx, RETRY_MS);
    }
  }
}

async function pullReleaseImage(ctx: Context, { spec, journal, puller }: LabNode): Promise<void> {
  const say = (message: string) =>
    journal.write('release-image', 'release-image-download.sh', message);
  await journal.record('release-image', { phase: 'service start' });
  await journal.stage('release-image', 'pull-release-image', async () => {
    say(`Pulling ${spec.releaseImage}...`);
    const loop = {
      say,
      patience: spec.patience,
      again: `Pull failed. Retrying ${spec.releaseImage}...`,
    };
    await insist(ctx, loop, () => puller.pull(ctx, spec.releaseImage));
  });
  await journal.stage('release-image', 'image-metadata-arches-match', async () => undefined);
  await journal.record('release-image', { phase: 'service end', result: 'success' });
}

async function configureRuntime(
  ctx: Context,
  { spec, journal, puller }: LabNode,
  payload: Payload,
): Promise<void> {
  const pause = formatReference(componentOf(payload, 'pod').image);
  await journal.record('crio-configure', { phase: 'service start' });
  const override = join(spec.root, 'etc/crio/crio.conf.d/50-bootstrap-override.conf');
  await writeFileAtomic(override, `[crio.image]\npause_image = "${pause}"\n`);
  await journal.record('crio-configure', { phase: 'service end', result: 'success' });
  journal.write('crio', 'crio', 'Starting CRI-O of an atoll lab: it pulls images, it runs none');
  await journal.record('kubelet', { phase: 'service start' });
  await journal.record('kubelet', {
    phase: 'pre-command start',
    preCommand: 'kubelet-pause-image',
  });
  await puller.pull(ctx, pause);
  await journal.record('kubelet', {
    phase: 'pre-command end',
    preCommand: 'kubelet-pause-image',
    result: 'success',
  });
  journal.write('kubelet', 'kubenswrapper', 'Started kubelet of an atoll lab');
}

/** A line of bootkube.sh. */
type Say = (message: string) => void;

async function runBootkube(ctx: Context, node: LabNode, payload: Payload): Promise<void> {
  const { journal, board } = node;
  const say: Say = (message) => journal.write('bootkube', 'bootkube.sh', message);
  await journal.record('bootkube', { phase: 'service start' });
  for (const stage of usual(RENDER_STAGES)) {
    await playStage(ctx, node, payload, stage, say);
    if (stage.id === 'mco-bootstrap') await board.tell('machine-config-served');
  }
  await runClusterBootstrap(ctx, node, payload, say);
  for (const stage of usual(HAND_OVER_STAGES)) await playStage(ctx, node, payload, stage, say);
  say('bootkube.service complete');
  await journal.record('bootkube', { phase: 'service end', result: 'success' });
  await reportProgress(node);
}

/** The stages every install has: a lab is neither in place nor behind a feature gate. */
const usual = (stages: readonly BootstrapStep[]) => stages.filter(({ only }) => !only);

/**
 * Says what bootkube.sh says in this stage and pulls what it runs; nothing is rendered. The script ends with
 * its first error, and systemd starts it again at the stage that failed.
 */
async function playStage(
  ctx: Context,
  node: LabNode,
  payload: Payload,
  stage: BootstrapStep,
  say: Say,
  work: () => Promise<void> = async () => undefined,
): Promise<void> {
  const { journal, spec } = node;
  for (let count = 1; ; count += 1) {
    try {
      await journal.stage('bootkube', stage.id, async () => {
        if (stage.starts) say(stage.starts);
        for (const name of stage.components ?? []) {
          const image = formatReference(componentOf(payload, name).image);
          await pullAloud(ctx, node, image, say);
        }
        await work();
        if (stage.ends) say(stage.ends);
      });
      return;
    } catch (error) {
      ctx.signal.throwIfAborted();
      const failed = { phase: 'service end', result: 'failure' } as const;
      await journal.record('bootkube', { ...failed, errorMessage: messageOf(error) });
      const isLost = error instanceof AtollError && error.code === 'CLUSTER_FAILED';
      if (isLost || count >= spec.patience) throw error;
      await sleep(ctx, RETRY_MS);
      await journal.record('bootkube', { phase: 'service start' });
    }
  }
}

/** Pulls as podman does for a script: an error is printed before the script ends with it. */
async function pullAloud(
  ctx: Context,
  { puller }: LabNode,
  image: string,
  say: Say,
): Promise<void> {
  try {
    await puller.pull(ctx, image);
  } catch (error) {
    say(`Error: ${messageOf(error)}`);
    throw error;
  }
}

/** The last unit: reports to the cluster that the bootstrap machine is no longer needed. */
async function reportProgress({ journal, board }: LabNode): Promise<void> {
  await journal.record('progress', { phase: 'service start' });
  for (const { stage = '', starts = '' } of PROGRESS_STAGES) {
    await journal.stage('progress', stage, async () =>
      journal.write('progress', 'report-progress.sh', starts),
    );
  }
  await board.tell('bootstrap-complete');
  await journal.record('progress', { phase: 'service end', result: 'success' });
}

/** The temporary control plane, until the masters carry the production one. */
async function runClusterBootstrap(
  ctx: Context,
  node: LabNode,
  payload: Payload,
  say: Say,
): Promise<void> {
  await playStage(ctx, node, payload, CLUSTER_BOOTSTRAP_STAGE, say, async () => {
    say('Starting temporary bootstrap control plane...');
    say('API is up');
    await node.board.tell('control-plane-up');
    for (const pod of REQUIRED_PODS) say(`Pod Status:${pod.padStart(60)}\tDoesNotExist`);
    await waitForMasters(ctx, node);
    for (const pod of REQUIRED_PODS) say(`Pod Status:${pod.padStart(60)}\tReady`);
    say('All self-hosted control plane components successfully started');
    say('Sending bootstrap-success event. Waiting for remaining assets to be created.');
    say('Sending bootstrap-finished event.');
  });
}

/** Waits for the masters, but not for ever: one of them may have failed for good. */
async function waitForMasters(ctx: Context, { board, spec }: LabNode): Promise<void> {
  const failed = new AbortController();
  const signal = AbortSignal.any([ctx.signal, failed.signal]);
  const watching = (async () => {
    while (!signal.aborted) {
      const names = (await board.names('failed')).filter((name) => name.startsWith('master'));
      if (names.length > 0) {
        failed.abort(
          new AtollError('CLUSTER_FAILED', `Cannot hand over: ${names.join(', ')} did not come up`),
        );
      }
      await sleep({ signal }, RETRY_MS).catch(() => undefined);
    }
  })();
  try {
    await board.waitForNodes({ ...ctx, signal }, 'master', spec.masters);
  } finally {
    failed.abort();
    await watching;
  }
}
