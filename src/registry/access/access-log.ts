import { createWriteStream, statSync } from 'node:fs';
import type { Context } from '../../core/context.ts';

/** One request, as the access log tells it. Fields only grow. */
export interface AccessEntry {
  readonly at: string;
  readonly listener: string;
  readonly client: string;
  /** Undefined for a client that did not log in. */
  user?: string | undefined;
  /** Id of the robot's token they showed. */
  token?: string | undefined;
  /** The user name of a login that was refused. */
  claimedUser?: string | undefined;
  /** Why a login was of no use: a wrong password, or a token that is unknown, expired or revoked. */
  refusal?: string | undefined;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  /** Why it was refused, as the specification calls it. */
  error?: string | undefined;
  /** Which kind of request it was; undefined for what is none. */
  route?: string | undefined;
  repository?: string | undefined;
  /** What was asked for: a tag or a digest. */
  reference?: string | undefined;
  /** What it turned out to be. */
  digest?: string | undefined;
  /** False when the client left before it had the whole answer. */
  readonly complete: boolean;
  /** On the connection, headers included. */
  readonly bytesReceived: number;
  readonly bytesSent: number;
  readonly durationMs: number;
  readonly agent?: string | undefined;
}

export type AccessSink = (entry: AccessEntry) => void;

export interface AccessLog {
  readonly write: AccessSink;
  close(): Promise<void>;
}

const FLUSH_MS = 100;
const FLUSH_ENTRIES = 200;

/**
 * Appends JSON lines to a file. Entries are gathered for a moment, and cost half when they become lines together; several processes may share it,
 * and it may be renamed and begun anew at any time, as log rotation does.
 */
export function fileAccessLog(path: string, onError: (error: Error) => void): AccessLog {
  const open = () =>
    // Names of users and repositories are private: for the owner and the group only.
    createWriteStream(path, { flags: 'a', mode: 0o640 }).on('error', tell);
  let failed = false;
  let file = open();
  let inode = inodeOf(path);
  let entries: AccessEntry[] = [];
  let timer: NodeJS.Timeout | undefined;

  /** Once, until lines can be written again: a full disk would be told of ten times a second. */
  function tell(error: Error): void {
    if (!failed) onError(error);
    failed = true;
  }

  /** Also after an error: the disk that was full may have room by now. */
  function reopenIfNeeded(): void {
    const now = inodeOf(path);
    if (!file.destroyed && now !== undefined && (inode === undefined || now === inode)) {
      inode = now;
      return;
    }
    file.end();
    file = open();
    inode = undefined;
  }

  function flush(): void {
    clearTimeout(timer);
    timer = undefined;
    if (entries.length === 0) return;
    reopenIfNeeded();
    const lines = entries.map((entry) => `${JSON.stringify(entry)}\n`).join('');
    file.write(lines, (error) => {
      if (!error) failed = false;
    });
    entries = [];
  }

  return {
    write(entry) {
      entries.push(entry);
      if (entries.length >= FLUSH_ENTRIES) flush();
      else timer ??= setTimeout(flush, FLUSH_MS);
    },
    close() {
      flush();
      if (file.destroyed) return Promise.resolve();
      return new Promise((resolve) => file.end(() => resolve()));
    },
  };
}

/** Where the configuration wants to know of requests, if anywhere. */
export interface OptionalLog {
  /** Undefined when nobody does. */
  readonly write: AccessSink | undefined;
  close(): Promise<void>;
}

export function openAccessLog(
  ctx: Context,
  {
    accessLog,
    onAccess,
  }: { readonly accessLog?: string | undefined; readonly onAccess?: AccessSink | undefined },
): OptionalLog {
  const file =
    accessLog === undefined
      ? undefined
      : fileAccessLog(accessLog, ({ message }) =>
          ctx.emit({ type: 'warning.raised', message, subject: accessLog }),
        );
  const both: AccessSink = (entry) => {
    file?.write(entry);
    onAccess?.(entry);
  };
  return {
    write: file && onAccess ? both : (file?.write ?? onAccess),
    close: async () => await file?.close(),
  };
}

function inodeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.ino;
}
