import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Context } from '../../core/context.ts';
import { AtollError } from '../../core/errors.ts';
import { type ProgramOptions, type ProgramResult, runProgram } from '../../core/process.ts';
import { type RetryPolicy, retry } from '../../core/retry.ts';
import { explain } from './explain.ts';
import { pinOptions } from './pin.ts';
import { LOUD, nameOf, QUIET, type SshTarget, sshArguments } from './ssh-target.ts';

/** A socket's path may have 107 letters, and `ssh` needs some of them while it makes it. */
const LONGEST_FOLDER = 70;

const SSH_HINT = 'Install the OpenSSH client';

/** The connection that all commands share. It ends with us, however we end. */
interface Master {
  readonly stop: AbortController;
  readonly ended: Promise<unknown>;
}

/** One shared connection to a host, made when it is needed and again when it is lost. */
export class SshConnection {
  readonly name: string;
  readonly #target: SshTarget;
  readonly #patience: Partial<RetryPolicy>;
  #folder: string | undefined;
  #args: readonly string[] = [];
  #master: Promise<Master> | undefined;

  constructor(target: SshTarget, patience: Partial<RetryPolicy> = {}) {
    this.name = nameOf(target);
    this.#target = target;
    this.#patience = patience;
  }

  /** Connects unless it is connected; several callers wait for the same attempt. */
  async ready(ctx: Context): Promise<void> {
    this.#master ??= this.#connect(ctx);
    const attempt = this.#master;
    try {
      await attempt;
    } catch (error) {
      if (this.#master === attempt) this.#master = undefined;
      throw error;
    }
  }

  /** Starts `ssh` with a line for the shell there. What it means is for the caller to say. */
  async exec(
    ctx: Context,
    signal: AbortSignal,
    line: string,
    options: ProgramOptions,
  ): Promise<ProgramResult> {
    await this.ready(ctx);
    const own = [...QUIET, '-o', 'ControlMaster=no'];
    const args = [...this.#args, ...own, '--', this.#target.address, line];
    return runProgram({ signal }, 'ssh', args, { ...options, group: true, hint: SSH_HINT });
  }

  async close(): Promise<void> {
    const master = await this.#master?.catch(() => undefined);
    this.#master = undefined;
    master?.stop.abort();
    await master?.ended;
    if (this.#folder !== undefined) await rm(this.#folder, { recursive: true, force: true });
    this.#folder = undefined;
  }

  async #connect(ctx: Context): Promise<Master> {
    const operation = `Connecting to ${this.name}`;
    return await retry(ctx, { operation, ...this.#patience }, async () => {
      await this.#prepare(ctx);
      return await this.#startMaster(ctx);
    });
  }

  async #prepare(ctx: Context): Promise<void> {
    if (this.#args.length > 0 && this.#folder !== undefined) return;
    this.#folder ??= await mkdtemp(join(shortFolder(), 'atoll-ssh-'));
    const pinned = await pinOptions(ctx, this.#target, this.#folder);
    const shared = ['-S', join(this.#folder, 'c')];
    this.#args = [...sshArguments(this.#target, pinned), ...shared];
  }

  /** Its command reads until we close its input or are gone, and the connection ends with it. */
  async #startMaster(ctx: Context): Promise<Master> {
    const stop = new AbortController();
    const words: string[] = [];
    let up = () => undefined as unknown;
    const isUp = new Promise<void>((resolve) => {
      up = resolve;
    });
    const line = 'echo up; exec cat > /dev/null';
    const own = [...LOUD, '-M', '-o', 'ControlPersist=no'];
    const args = [...this.#args, ...own, '--', this.#target.address, line];
    const ended = runProgram({ signal: stop.signal }, 'ssh', args, {
      holdInput: true,
      discard: true,
      group: true,
      hint: SSH_HINT,
      onLine: (text, stream) => (stream === 'stdout' ? up() : words.push(text)),
    }).catch((error: unknown) => error);
    const leave = () => stop.abort();
    ctx.signal.addEventListener('abort', leave, { once: true });
    const first = await Promise.race([isUp.then(() => 'up' as const), ended]);
    ctx.signal.removeEventListener('abort', leave);
    ctx.signal.throwIfAborted();
    if (first instanceof AtollError) throw first;
    if (first !== 'up') throw explain(this.name, words.join('\n'));
    const master = { stop, ended };
    ended.then(() => this.#forget(stop));
    return master;
  }

  /** A lost connection is made again at the next call. */
  async #forget(stop: AbortController): Promise<void> {
    const current = await this.#master?.catch(() => undefined);
    if (current?.stop === stop) this.#master = undefined;
  }
}

const shortFolder = (): string => (tmpdir().length < LONGEST_FOLDER ? tmpdir() : '/tmp');
