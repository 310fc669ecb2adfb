import type { Context } from '../../core/context.ts';
import { createLineQueue } from '../../core/line-queue.ts';
import { runProgram } from '../../core/process.ts';
import type { SelfCommand } from '../../core/self.ts';
import { type Rebuild, type RebuildJob, rebuildHere, rebuildJobSchema } from './rebuild-job.ts';

/** Handing over takes as long as putting so much together. */
const SMALL_TAR_BYTES = 8 * 1024 * 1024;
/** How long a process waits for its next layer: starting one takes as long as some 10 MB of layer. */
const IDLE_MS = 1000;

/**
 * Putting layers together takes all of a processor, and there are several: as many processes as the caller asks of at once,
 * each for one layer after the other. The command is atoll itself. What fails elsewhere is done here once more, which says why.
 */
export function rebuildInProcesses(command: SelfCommand, smallBytes = SMALL_TAR_BYTES): Rebuild {
  let idle: readonly RebuildProcess[] = [];
  return async (ctx, job) => {
    if (job.layer.tarSize < smallBytes) return await rebuildHere(ctx, job);
    const [process = new RebuildProcess(ctx, command), ...others] = idle.filter(isAlive);
    idle = others;
    const isDone = await process.run(job);
    idle = [process, ...idle];
    ctx.signal.throwIfAborted();
    if (!isDone) await rebuildHere(ctx, job);
  };
}

const isAlive = (process: RebuildProcess): boolean => process.isAlive;

class RebuildProcess {
  readonly #jobs = createLineQueue();
  #settle: (isDone: boolean) => void = () => undefined;
  #rest: NodeJS.Timeout | undefined;
  isAlive = true;

  constructor(ctx: Context, { file, args }: SelfCommand) {
    runProgram(ctx, file, [...args, 'rebuild-layers'], {
      // It leaves when its input ends: a parent that was killed leaves nobody behind.
      input: this.#jobs.read(),
      discard: true,
      stopSignal: 'SIGKILL',
      onLine: (line, stream) => stream === 'stdout' && this.#settle(line === DONE),
    })
      .catch(() => undefined)
      .finally(() => {
        this.isAlive = false;
        this.#settle(false);
      });
  }

  /** Whether it could. */
  async run(job: RebuildJob): Promise<boolean> {
    clearTimeout(this.#rest);
    const isDone = await new Promise<boolean>((resolve) => {
      this.#settle = resolve;
      this.#jobs.write(JSON.stringify(job));
    });
    this.#rest = setTimeout(() => {
      this.isAlive = false;
      this.#jobs.end();
    }, IDLE_MS);
    return isDone;
  }
}

const [DONE, FAILED] = ['done', 'failed'];

/** The other end: does the job on each line of its input. */
export async function answerJobs(
  ctx: Context,
  input: AsyncIterable<string>,
  answer: (line: string) => void,
): Promise<void> {
  for await (const line of input) {
    const job = rebuildJobSchema.parse(JSON.parse(line));
    answer(
      await rebuildHere(ctx, job).then(
        () => DONE,
        () => FAILED,
      ),
    );
  }
}
