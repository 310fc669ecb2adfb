import type { Context } from '../../core/context.ts';
import { messageOf } from '../../core/errors.ts';
import { Board } from './board.ts';
import { runBootstrap } from './bootstrap-node.ts';
import { runClusterNode } from './cluster-node.ts';
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
  const network = await nodeNetwork(root);
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
