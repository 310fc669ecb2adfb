import { join } from 'node:path';
import { componentOf, type Payload, readPayload } from '../../content/release/payload/payload.ts';
import type { Context } from '../../core/context.ts';
import { AtollError, messageOf } from '../../core/errors.ts';
import { writeFileAtomic } from '../../core/files.ts';
import { sleep } from '../../core/retry.ts';
import { formatReference } from '../../oci/reference.ts';
import type { Board } from './board.ts';
import { BOOTKUBE_STAGES, REQUIRED_PODS } from './bootstrap-stages.ts';
import type { NodeJournal } from './node-journal.ts';
import type { NodePuller } from './node-puller.ts';
import type { NodeSpec } from './node-spec.ts';

/** What plays on a node: its instructions, its logs, its way to images, and the cluster around it. */
export interface Stage {
  readonly spec: NodeSpec;
  readonly journal: NodeJournal;
  readonly puller: NodePuller;
  readonly board: Board;
}

const RETRY_MS = 20;

/**
 * The bootstrap machine, in the order of the real one: node image, release image, CRI-O, kubelet,
 * bootkube with its stages, hand-over to the masters.
 */
export async function runBootstrap(ctx: Context, node: Stage): Promise<void> {
  const payload = await pullNodeImage(ctx, node);
  await pullReleaseImage(ctx, node);
  await configureRuntime(ctx, node, payload);
  await runBootkube(ctx, node, payload);
}

/** Unit 1: the first contact with the mirror. Its loops are endless in reality. */
async function pullNodeImage(ctx: Context, { spec, journal, puller }: Stage): Promise<Payload> {
  const say = (message: string) => journal.write('node-image-pull', 'node-image-pull.sh', message);
  const query = { say, patience: spec.patience, again: 'Failed to query MCO image from release' };
  const fetch = { say, patience: spec.patience, again: 'Failed to fetch release image' };
  say('Currently on CoreOS version of an atoll lab');
  const found = await insist(ctx, query, () => puller.find(ctx, spec.releaseImage));
  const payload = await readPayload(ctx, found.repository, found.descriptor);
  const image = formatReference(componentOf(payload, 'rhel-coreos').image);
  say(`Target node image is ${image}`);
  await insist(ctx, fetch, () => puller.pull(ctx, image));
  say('Checking out node image content');
  journal.write('node-image-overlay', 'node-image-overlay.sh', 'Node image overlay complete');
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
      say(`${again}; retrying...`);
      if (count >= patience) throw error;
      await sleep(ctx, RETRY_MS);
    }
  }
}

async function pullReleaseImage(ctx: Context, { spec, journal, puller }: Stage): Promise<void> {
  const say = (message: string) =>
    journal.write('release-image', 'release-image-download.sh', message);
  await journal.record('release-image', { phase: 'service start' });
  await journal.stage('release-image', 'pull-release-image', async () => {
    say(`Pulling ${spec.releaseImage}...`);
    const loop = { say, patience: spec.patience, again: 'Pull failed' };
    await insist(ctx, loop, () => puller.pull(ctx, spec.releaseImage));
  });
  await journal.stage('release-image', 'image-metadata-arches-match', async () => undefined);
  await journal.record('release-image', { phase: 'service end', result: 'success' });
}

async function configureRuntime(
  ctx: Context,
  { spec, journal, puller }: Stage,
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

async function runBootkube(ctx: Context, node: Stage, payload: Payload): Promise<void> {
  const { journal, puller, board } = node;
  const say = (message: string) => journal.write('bootkube', 'bootkube.sh', message);
  const loop = { patience: node.spec.patience, again: 'Pull failed' };
  await journal.record('bootkube', { phase: 'service start' });
  for (const [stage, components] of BOOTKUBE_STAGES) {
    await journal.stage('bootkube', stage, async () => {
      say(`Rendering ${stage}...`);
      for (const name of components) {
        const image = formatReference(componentOf(payload, name).image);
        await insist(ctx, { ...loop, say }, () => puller.pull(ctx, image));
      }
    });
    if (stage === 'mco-bootstrap') await board.tell('machine-config-served');
  }
  await handOver(ctx, node, payload, say);
  say('bootkube.service complete');
  await journal.record('bootkube', { phase: 'service end', result: 'success' });
  await reportProgress(node);
}

/** The last unit: tells the cluster, and whoever waits for it, that the bootstrap is no longer needed. */
async function reportProgress({ journal, board }: Stage): Promise<void> {
  await journal.record('progress', { phase: 'service start' });
  await journal.stage('progress', 'report-bootstrap-complete', async () => {
    journal.write('progress', 'report-progress.sh', 'Reporting install progress...');
    await board.tell('bootstrap-complete');
  });
  await journal.record('progress', { phase: 'service end', result: 'success' });
}

/** The temporary control plane, until the masters carry the production one. */
async function handOver(
  ctx: Context,
  node: Stage,
  payload: Payload,
  say: (message: string) => void,
): Promise<void> {
  const { journal, puller, board, spec } = node;
  await journal.stage('bootkube', 'cb-bootstrap', async () => {
    const image = formatReference(componentOf(payload, 'cluster-bootstrap').image);
    const loop = { say, patience: spec.patience, again: 'Pull failed' };
    await insist(ctx, loop, () => puller.pull(ctx, image));
    say('Starting temporary bootstrap control plane...');
    say('API is up');
    await board.tell('control-plane-up');
    for (const pod of REQUIRED_PODS) say(`Pod Status:${pod.padStart(60)}\tDoesNotExist`);
    await waitForMasters(ctx, node);
    for (const pod of REQUIRED_PODS) say(`Pod Status:${pod.padStart(60)}\tReady`);
    say('All self-hosted control plane components successfully started');
    say('Sending bootstrap-success event. Waiting for remaining assets to be created.');
    say('Sending bootstrap-finished event.');
  });
  await journal.stage('bootkube', 'cvo-overrides', async () =>
    say('clusterversion.config.openshift.io/version patched'),
  );
  await journal.stage('bootkube', 'wait-for-ceo', async () =>
    say('Cluster etcd operator bootstrapped successfully'),
  );
}

/** Waits for the masters, but not for ever: one of them may have failed for good. */
async function waitForMasters(ctx: Context, { board, spec }: Stage): Promise<void> {
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
