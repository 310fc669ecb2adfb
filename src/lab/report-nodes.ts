import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { ReportNode } from '../site/report/report-input.ts';
import { boardOf } from './lab-paths.ts';
import { Board } from './node/board.ts';
import type { PulledImage } from './node/node-puller.ts';

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
