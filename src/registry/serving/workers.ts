import cluster, { type Worker } from 'node:cluster';
import type { Context } from '../../core/context.ts';
import { AtollError, messageOf } from '../../core/errors.ts';
import type { SelfCommand } from '../../core/self.ts';
import type { Snapshot } from './metrics.ts';
import type { RunningListener, RunningRegistry } from './registry-config.ts';

/** What the processes tell each other. */
type Message =
  | { readonly type: 'listening'; readonly listeners: readonly RunningListener[] }
  | { readonly type: 'snapshot'; readonly snapshot: Snapshot }
  | { readonly type: 'peers'; readonly snapshots: readonly Snapshot[] }
  | { readonly type: 'drain' };

const SHARE_MS = 1000;
const RESTART_MS = 500;

export const isWorker = (): boolean => cluster.isWorker;

export interface WorkersOptions {
  readonly count: number;
  /** The program and the arguments that make a process one of the workers. */
  readonly command: SelfCommand;
  readonly args: readonly string[];
}

export interface RunningWorkers {
  readonly listeners: readonly RunningListener[];
  /** Asks every worker to drain and waits until all are gone. */
  close(): Promise<void>;
}

/** Runs several processes on the same addresses. One that dies is replaced. */
export async function startWorkers(ctx: Context, options: WorkersOptions): Promise<RunningWorkers> {
  // A program of its own takes the first argument where Node takes the script.
  const [exec = '', ...args] = [...options.command.args, ...options.args];
  cluster.setupPrimary({ exec, args });
  const workers = new Set<Worker>();
  const serving = new Set<Worker>();
  const snapshots = new Map<number, Snapshot>();
  let closing = false;

  function launch(): Promise<readonly RunningListener[]> {
    const worker = cluster.fork({ NODE_OPTIONS: workerNodeOptions() });
    workers.add(worker);
    const ready = readyOf(worker);
    ready.then(
      () => serving.add(worker),
      () => undefined,
    );
    worker.on('message', (message: Message) => {
      if (message.type === 'snapshot') snapshots.set(worker.id, message.snapshot);
    });
    // One that never started has no exit. Else this is what a process that is going away could not
    // be told, which does not matter.
    worker.on('error', () => {
      if (worker.process.pid === undefined) workers.delete(worker);
    });
    worker.once('exit', () => {
      workers.delete(worker);
      serving.delete(worker);
      snapshots.delete(worker.id);
      ready.then(replace, () => undefined);
    });
    return ready;
  }

  function replace(): void {
    if (closing) return;
    const message = 'A process of the registry ended unexpectedly and is replaced';
    ctx.emit({ type: 'warning.raised', message, subject: 'registry' });
    setTimeout(() => {
      if (!closing) void launch().catch(replace);
    }, RESTART_MS);
  }

  async function close(): Promise<void> {
    closing = true;
    clearInterval(sharing);
    const gone = [...workers].map(
      (worker) => new Promise((resolve) => worker.once('exit', resolve)),
    );
    for (const worker of workers) {
      if (serving.has(worker)) worker.send({ type: 'drain' } satisfies Message);
      else worker.process.kill('SIGKILL');
    }
    // The last one takes the listening sockets along, before another connection can come. A worker
    // that stopped listening on its own would give one back that nobody is left to take.
    for (const worker of workers) worker.disconnect();
    await Promise.all(gone);
    process.off('exit', killAll);
  }

  /** When this process has to leave at once, nobody may stay behind. */
  function killAll(): void {
    for (const worker of workers) worker.process.kill('SIGKILL');
  }

  const sharing = setInterval(() => share(workers, snapshots), SHARE_MS);
  sharing.unref();
  process.on('exit', killAll);
  try {
    const started = await Promise.all(Array.from({ length: options.count }, launch));
    return { listeners: started[0] ?? [], close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Serving makes much short-lived rubbish; collecting it sooner costs little and saves memory. */
function workerNodeOptions(): string {
  return `--max-semi-space-size=4 ${process.env.NODE_OPTIONS ?? ''}`.trim();
}

/** Resolves when the worker listens; a worker that ends before has said why on its own. */
function readyOf(worker: Worker): Promise<readonly RunningListener[]> {
  return new Promise((resolve, reject) => {
    worker.on('message', (message: Message) => {
      if (message.type === 'listening') resolve(message.listeners);
    });
    worker.once('error', (cause) => {
      if (worker.process.pid === undefined) reject(notStarted(messageOf(cause)));
    });
    worker.once('exit', (code, signal) => {
      reject(notStarted(signal ?? `exit status ${code}`));
    });
  });
}

function notStarted(how: string): AtollError {
  return new AtollError('PROGRAM_FAILED', `A process of the registry did not start: ${how}`, {
    hint: 'Look at what it printed above, or try --workers 1',
  });
}

/** So that any process can answer for all when it is asked for metrics. */
function share(workers: ReadonlySet<Worker>, snapshots: ReadonlyMap<number, Snapshot>): void {
  for (const worker of workers) {
    const others = [...snapshots].filter(([id]) => id !== worker.id).map(([, one]) => one);
    if (worker.isConnected()) worker.send({ type: 'peers', snapshots: others } satisfies Message);
  }
}

/** The worker's end of the line: keeps the others' numbers and tells its own. */
export interface WorkerLink {
  peers(): readonly Snapshot[];
  announce(registry: RunningRegistry): void;
  /**
   * Resolves when the first process wants this one to drain. A signal does not: one to the whole
   * group comes before the first process has stopped handing out connections.
   */
  readonly drain: Promise<void>;
}

export function connectWorker(): WorkerLink {
  let peers: readonly Snapshot[] = [];
  const send = (message: Message) => {
    if (process.connected) process.send?.(message);
  };
  const drain = new Promise<void>((resolve) => {
    process.on('message', (message: Message) => {
      if (message.type === 'peers') peers = message.snapshots;
      else if (message.type === 'drain') resolve();
    });
  });
  return {
    peers: () => peers,
    drain,
    announce(registry) {
      send({ type: 'listening', listeners: registry.listeners });
      const tell = () => send({ type: 'snapshot', snapshot: registry.snapshot() });
      tell();
      setInterval(tell, SHARE_MS).unref();
    },
  };
}
