import type { Context } from '../core/context.ts';

export interface HostRunOptions {
  readonly cwd?: string | undefined;
  /** Added to the environment there. Secrets go through `input`, never here or in the arguments. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** Standard input. */
  readonly input?: string | undefined;
  /** Called for each line of both streams as it comes. */
  readonly onLine?: ((line: string, stream: 'stdout' | 'stderr') => void) | undefined;
  readonly timeoutMs?: number | undefined;
}

export interface RunResult {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface PutOptions {
  readonly mode?: number | undefined;
}

/** A machine atoll works on: this one, or one reached over SSH. */
export interface Host {
  /** How people call it: `this machine`, `core@bastion.example`. */
  readonly name: string;
  /** Runs a program, not a shell line. Any status is a result; not being able to start is an error. */
  run(
    ctx: Context,
    program: string,
    args: readonly string[],
    options?: HostRunOptions,
  ): Promise<RunResult>;
  /** Writes a whole file or none. */
  put(
    ctx: Context,
    path: string,
    content: string | Uint8Array | AsyncIterable<Uint8Array>,
    options?: PutOptions,
  ): Promise<void>;
  /** The bytes of a file, as a stream. */
  get(ctx: Context, path: string): AsyncIterable<Uint8Array>;
  /** Lines of a file as they are added, from its beginning, until the signal aborts. */
  follow(ctx: Context, path: string): AsyncIterable<string>;
}
