import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { MachineState } from '../platform/platform.ts';
import { boardOf } from './lab-paths.ts';
import { Board } from './node/board.ts';

/** Every machine of a lab: how far it came, from what it told the others. */
export async function machineStates(state: string): Promise<readonly MachineState[]> {
  const board = new Board(boardOf(state));
  const folders = await readdir(join(boardOf(state), '..')).catch(() => []);
  const names = folders.filter((name) => name !== 'board').toSorted();
  return Promise.all(names.map((name) => machineState(board, name)));
}

async function machineState(board: Board, name: string): Promise<MachineState> {
  const failed = (await board.read(`failed/${name}`)) as { message?: string } | undefined;
  if (failed) return { name, state: 'failed', message: failed.message };
  if (name === 'bootstrap') {
    const isComplete = (await board.read('bootstrap-complete')) !== undefined;
    return { name, state: isComplete ? 'complete' : 'stopped' };
  }
  const hasJoined = (await board.read(`node-joined/${name}`)) !== undefined;
  return { name, state: hasJoined ? 'joined' : 'stopped' };
}
