import { EventEmitter } from 'node:events';
import { PassThrough, Writable } from 'node:stream';
import type { Process } from '../../src/cli/run.ts';

/** Collects what is written. */
class Collected extends Writable {
  text = '';
  isTTY = false;

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk.toString('utf8');
    done();
  }
}

export interface FakeProcess extends Process {
  readonly stdin: PassThrough & { isTTY?: boolean };
  readonly stdout: Collected;
  readonly stderr: Collected;
  readonly signals: EventEmitter;
  /** Exit statuses of a process that was told to leave at once. */
  readonly left: number[];
}

/** A process whose streams and signals belong to the test. */
export function fakeProcess(env: Record<string, string> = {}): FakeProcess {
  const left: number[] = [];
  return {
    stdin: new PassThrough(),
    stdout: new Collected(),
    stderr: new Collected(),
    env,
    signals: new EventEmitter(),
    isWorker: false,
    leave: (exitCode) => left.push(exitCode),
    left,
  };
}
