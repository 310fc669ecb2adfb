import { compare } from 'bcryptjs';
import type { Context } from '../../core/context.ts';
import { messageOf } from '../../core/errors.ts';
import { createLineQueue, type LineQueue } from '../../core/line-queue.ts';
import { runProgram } from '../../core/process.ts';
import type { SelfCommand } from '../../core/self.ts';
import { isObject, parseJson } from '../../core/shape.ts';
import type { ComparePassword } from './passwords.ts';

/** A comparison, as one line of JSON; the password goes through a pipe that only the two of us have. */
interface Question {
  readonly id: number;
  readonly password: string;
  readonly hash: string;
}

export interface PasswordProcess {
  readonly compare: ComparePassword;
  close(): void;
}

/** Long enough for the next login of a rush, short enough not to keep its memory. */
const IDLE_MS = 60_000;

/**
 * Compares passwords in a process of its own: bcrypt takes a tenth of a second of the processor, and
 * whoever pulls meanwhile must not wait for it. Without the process it is done here, as ever.
 */
export function createPasswordProcess(ctx: Context, command: SelfCommand): PasswordProcess {
  // Not that of the context: who drains still has logins to look at.
  const { signal } = new AbortController();
  let lines: LineQueue | undefined;
  let idle: NodeJS.Timeout | undefined;
  let broken = false;
  let last = 0;
  const waiting = new Map<number, (answer: boolean | undefined) => void>();

  function start(): LineQueue {
    const started = createLineQueue();
    lines = started;
    const { file, args } = command;
    runProgram({ signal }, file, [...args, 'registry', 'compare-passwords'], {
      input: started.read(),
      discard: true,
      onLine: (line, stream) => stream === 'stdout' && settle(line),
    })
      .then(({ status }) => `status ${status}`, messageOf)
      .then((how) => ended(started, how));
    return started;
  }

  function settle(line: string): void {
    const answer = parseJson(line);
    if (!isObject(answer)) return;
    waiting.get(Number(answer.id))?.(answer.right === true);
  }

  /** Hands the requests of a process that ended back to the caller, and starts no other in its place. */
  function ended(which: LineQueue, how: string): void {
    if (lines === which) lines = undefined;
    if (waiting.size === 0 || lines) return;
    broken = true;
    const message = `Passwords are compared by the serving process itself: the other ended with ${how}`;
    ctx.emit({ type: 'warning.raised', message, subject: 'registry' });
    for (const give of waiting.values()) give(undefined);
  }

  function rest(): void {
    clearTimeout(idle);
    idle = setTimeout(() => {
      lines?.end();
      lines = undefined;
    }, IDLE_MS);
    idle.unref();
  }

  async function ask(question: Omit<Question, 'id'>): Promise<boolean | undefined> {
    last += 1;
    const id = last;
    try {
      return await new Promise<boolean | undefined>((resolve) => {
        waiting.set(id, resolve);
        (lines ?? start()).write(JSON.stringify({ id, ...question }));
      });
    } finally {
      waiting.delete(id);
      rest();
    }
  }

  return {
    async compare(password, hash) {
      const right = broken ? undefined : await ask({ password, hash });
      return right ?? (await compare(password, hash));
    },
    close() {
      clearTimeout(idle);
      // The end of its input is the end of the process.
      lines?.end();
      lines = undefined;
    },
  };
}

/** The other end: answers each line of its input until that ends. */
export async function answerQuestions(
  input: AsyncIterable<string>,
  answer: (line: string) => void,
): Promise<void> {
  for await (const line of input) {
    const question = parseJson(line) as Question | undefined;
    if (!question) continue;
    const right = await compare(question.password, question.hash);
    answer(JSON.stringify({ id: question.id, right }));
  }
}
