import { componentOf, type Payload, readPayload } from '../../content/release/payload/payload.ts';
import type { Context } from '../../core/context.ts';
import { messageOf } from '../../core/errors.ts';
import { formatReference } from '../../oci/reference.ts';
import { CONTROL_PLANE_COMPONENTS, NODE_COMPONENTS } from '../../openshift/components.ts';
import { Board } from './board.ts';
import { type LabNode, runBootstrap } from './bootstrap-node.ts';
import { ImageStorage } from './image-storage.ts';
import { NodeJournal } from './node-journal.ts';
import { nodeNetwork } from './node-network.ts';
import { NodePuller, type PulledImage } from './node-puller.ts';
import { readNodeSpec } from './node-spec.ts';

export interface NodeResult {
  readonly name: string;
  readonly pulls: readonly PulledImage[];
  readonly bytes: number;
}

/** Plays one node of a lab, from power-on until it has all its images, or fails as a real one would. */
export async function runNode(ctx: Context, root: string): Promise<NodeResult> {
  const spec = await readNodeSpec(root);
  const board = new Board(spec.board);
  const journal = new NodeJournal(ctx, root, spec.name);
  const storage = await ImageStorage.open(root, spec.diskBytes);
  const network = await nodeNetwork(root, spec.address);
  const puller = new NodePuller(network, storage);
  const node = { spec, journal, puller, board };
  try {
    await (spec.role === 'bootstrap' ? runBootstrap(ctx, node) : runClusterNode(ctx, node));
  } catch (error) {
    ctx.signal.throwIfAborted();
    await board.tell(`failed/${spec.name}`, { message: messageOf(error) });
    throw error;
  } finally {
    await network.registries.close();
    await board.tell(`pulls/${spec.name}`, puller.pulled);
  }
  return { name: spec.name, pulls: puller.pulled, bytes: storage.usedBytes };
}

/** A master or worker: waits for its configuration, pulls what it runs, joins. */
async function runClusterNode(ctx: Context, node: LabNode): Promise<void> {
  const { spec, journal, board, puller } = node;
  const say = (message: string) =>
    journal.write('machine-config-daemon-firstboot', 'machine-config-daemon', message);
  await board.waitFor(ctx, spec.role === 'master' ? 'machine-config-served' : 'bootstrap-complete');
  say(`Fetched the config of a ${spec.role} from the machine config server`);
  const found = await puller.find(ctx, spec.releaseImage);
  const payload = await readPayload(ctx, found.repository, found.descriptor);
  const wanted =
    spec.role === 'master' ? [...NODE_COMPONENTS, ...CONTROL_PLANE_COMPONENTS] : NODE_COMPONENTS;
  for (const name of wanted)
    await pullFor(ctx, node, formatReference(componentOf(payload, name).image));
  await board.tell(`node-joined/${spec.name}`);
  journal.write('kubelet', 'kubenswrapper', `Node ${spec.name} is ready`);
  if (spec.role === 'master') await rollOut(ctx, node, payload);
  else await runWorkloads(ctx, node);
}

/** What the version operator rolls out over the masters, each its share of the payload. */
async function rollOut(ctx: Context, node: LabNode, payload: Payload): Promise<void> {
  await node.board.waitFor(ctx, 'bootstrap-complete');
  const mine = payload.components.filter(
    (_, index) => `master-${index % node.spec.masters}` === node.spec.name,
  );
  for (const { image } of mine) await pullFor(ctx, node, formatReference(image));
}

/** Catalogs, operators and extra images run on workers. */
async function runWorkloads(ctx: Context, node: LabNode): Promise<void> {
  const { spec } = node;
  const mine = spec.workloads.filter((_, index) => `worker-${index % spec.workers}` === spec.name);
  for (const image of mine) await pullFor(ctx, node, image);
}

async function pullFor(ctx: Context, { journal, puller }: LabNode, image: string): Promise<void> {
  try {
    const { endpoint } = await puller.pull(ctx, image);
    journal.write('crio', 'crio', `Trying to access "${endpoint}" for ${image}: pulled`);
  } catch (error) {
    ctx.signal.throwIfAborted();
    const message = error instanceof Error ? error.message : String(error);
    journal.write('crio', 'crio', `Failed to pull image ${image}: ${message}`);
    journal.write(
      'kubelet',
      'kubenswrapper',
      `"Error syncing pod, skipping" err="failed to \\"StartContainer\\" with ErrImagePull: \\"${message}\\""`,
    );
    throw error;
  }
}
