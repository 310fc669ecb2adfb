import type { Context } from '../core/context.ts';

export interface HostRunOptions {
  readonly cwd?: string | undefined;
  /** Added to the environment there. Secrets go through `input`, never here or in the arguments. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** Standard input. */
  readonly input?: string | Uint8Array | AsyncIterable<Uint8Array> | undefined;
  /** Called for each line of both streams as it comes. */
  readonly onLine?: ((line: string, stream: 'stdout' | 'stderr') => void) | undefined;
  /** Nothing is kept of what it prints: for long logs, with `onLine`. */
  readonly discard?: boolean | undefined;
  readonly timeoutMs?: number | undefined;
  /** As root: through sudo, unless it is root who is logged in. */
  readonly sudo?: boolean | undefined;
}

export interface RunResult {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface PutOptions {
  readonly mode?: number | undefined;
  /** `user` or `user:group` that it belongs to; only root may give files away. */
  readonly owner?: string | undefined;
  /** Written as root. */
  readonly sudo?: boolean | undefined;
}

/** A file of this machine. Over SSH a cut transfer of it goes on where it stopped. */
export interface LocalFile {
  readonly file: string;
}

export type HostContent = string | Uint8Array | AsyncIterable<Uint8Array> | LocalFile;

export const isLocalFile = (content: HostContent): content is LocalFile =>
  typeof content === 'object' && 'file' in content;

/** A machine atoll works on: this one, or one reached over SSH. */
export interface Host {
  /** How people call it: `this machine`, `core@bastion.example`. */
  readonly name: string;
  /** Whether it is the machine atoll runs on: what is written there is here. */
  readonly isHere: boolean;
  /** Runs a program, not a shell line. Any status is a result; not being able to start is an error. */
  run(
    ctx: Context,
    program: string,
    args: readonly string[],
    options?: HostRunOptions,
  ): Promise<RunResult>;
  /** Writes a whole file or none. */
  put(ctx: Context, path: string, content: HostContent, options?: PutOptions): Promise<void>;
  /** The bytes of a file, as a stream. */
  get(ctx: Context, path: string): AsyncIterable<Uint8Array>;
  /** Lines of a file as they are added, from its beginning, until the signal aborts. */
  follow(ctx: Context, path: string): AsyncIterable<string>;
  /** Ends the connection, if it has one. It may be used again, and connects again. */
  close(): Promise<void>;
}
