import { createInterface } from 'node:readline/promises';
import { addAbortSignal, type Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { AtollError } from '../core/errors.ts';
import { redact } from '../core/redact.ts';
import type { Terminal } from './command.ts';

export interface TerminalParts {
  readonly stdin: () => Readable & { readonly isTTY?: boolean };
  readonly stderr: NodeJS.WritableStream & { readonly isTTY?: boolean };
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
  /** `--yes` was given. */
  readonly yes: boolean;
  /** Runs while a question stands, so that no progress is drawn over it. */
  readonly held: <T>(work: () => Promise<T>) => Promise<T>;
}

/** Questions go to stderr, answers come from a terminal on stdin. */
export function createTerminal(parts: TerminalParts): Terminal {
  const isInteractive = () => parts.stderr.isTTY === true && parts.stdin().isTTY === true;
  return {
    get interactive() {
      return isInteractive();
    },
    env: parts.env,
    get isPiped() {
      return parts.stdin().isTTY !== true;
    },
    stdin: () => addAbortSignal(parts.signal, parts.stdin()),
    readStdin: () => text(addAbortSignal(parts.signal, parts.stdin())),
    async ask(question, fallback) {
      if (!isInteractive()) return fallback;
      return (await askLine(parts, `${question} [${fallback}] `)) || fallback;
    },
    async confirm(question) {
      if (parts.yes) return true;
      if (!isInteractive()) throw nobodyToAsk(question);
      return /^y(es)?$/i.test(await askLine(parts, `${question} [y/N] `));
    },
  };
}

/** One line, or nothing when the input ends. The terminal edits the line, and Ctrl-C stays a signal. */
async function askLine(parts: TerminalParts, question: string): Promise<string> {
  const reader = createInterface({ input: parts.stdin(), output: parts.stderr, terminal: false });
  const ended = new Promise<string>((resolve) => reader.once('close', () => resolve('')));
  try {
    const answer = () => reader.question(redact(question), { signal: parts.signal });
    return (await parts.held(() => Promise.race([answer(), ended]))).trim();
  } finally {
    reader.close();
  }
}

function nobodyToAsk(question: string): AtollError {
  return new AtollError('USAGE', `Cannot ask "${question}": this is not a terminal`, {
    hint: 'Give --yes if the answer is yes',
  });
}
