import type { Readable } from 'node:stream';
import type { Context } from '../core/context.ts';
import { AtollError, exitCodeOf, systemCodeOf } from '../core/errors.ts';
import { fileTrouble } from '../core/files.ts';
import { shellLine } from '../core/format.ts';
import { redact, redactJson } from '../core/redact.ts';
import { errorJson, errorText } from './error-text.ts';
import { type Interrupt, listenForInterrupt, type SignalSource } from './interrupt.ts';
import { type CommandSet, type Parsed, parseArguments } from './parse.ts';
import { chooseReporter } from './reporters/choose.ts';
import type { Reporter } from './reporters/reporter.ts';
import { createStyle, wantsColours } from './style.ts';
import { createTerminal } from './terminal.ts';

type Output = NodeJS.WritableStream & {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
};

/** The process as the command line sees it; tests bring their own. */
export interface Process {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Output;
  readonly stderr: Output;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signals: SignalSource;
  /** Another atoll started it and speaks for it. */
  readonly isWorker: boolean;
  /** Ends the process now. */
  readonly leave: (exitCode: number) => void;
}

type Run = Extract<Parsed, { kind: 'run' }>;

/** Runs one command line to its end and returns the exit status. */
export async function runCommandLine(
  argv: readonly string[],
  set: CommandSet,
  process: Process,
): Promise<number> {
  let parsed: Parsed;
  try {
    parsed = parseArguments(argv, set, process.stdout.columns);
  } catch (error) {
    return printError(error, wantsJson(argv), process);
  }
  if (parsed.kind === 'run') return runCommand(parsed, argv, process);
  if (!parsed.asked && wantsJson(argv)) return printError(noCommand(), true, process);
  await write(parsed.asked ? process.stdout : process.stderr, `${parsed.text}\n`);
  return parsed.asked ? 0 : 2;
}

async function runCommand(parsed: Run, argv: readonly string[], process: Process): Promise<number> {
  const now = () => new Date();
  const reporter = chooseReporter(parsed.globals, process.stderr, process.env, now);
  const interrupt = interruptOf(parsed, argv, process, reporter);
  const ctx: Context = {
    signal: interrupt.signal,
    emit: (event) => reporter.report(redactJson(event)),
    now,
  };
  try {
    const result = await parsed.command.run(ctx, inputOf(parsed, process, ctx, reporter));
    reporter.close();
    await printResult(parsed, result, process);
    return parsed.command.exitCode(result);
  } catch (error) {
    reporter.close();
    // Whatever broke on the way out of an interrupt was broken by it.
    const cause = interrupt.signal.aborted ? interrupt.signal.reason : fileTrouble(error);
    return printError(cause, parsed.globals.output === 'json', process);
  } finally {
    interrupt.release();
  }
}

function interruptOf(
  parsed: Run,
  argv: readonly string[],
  process: Process,
  reporter: Reporter,
): Interrupt {
  return listenForInterrupt(process.signals, {
    resume: shellLine(['atoll', ...argv]),
    announce(signal) {
      if (process.isWorker || parsed.globals.output === 'json') return;
      const again = signal === 'SIGINT' ? '; press Ctrl-C again to leave at once' : '';
      reporter.pause();
      process.stderr.write(`Stopping cleanly${again}\n`);
      reporter.resume();
    },
    leave() {
      reporter.close();
      process.leave(130);
    },
  });
}

function inputOf(parsed: Run, process: Process, ctx: Context, reporter: Reporter) {
  const terminal = createTerminal({
    // Opened at the first read: opening it takes longer than most commands.
    stdin: () => process.stdin,
    stderr: process.stderr,
    env: process.env,
    signal: ctx.signal,
    yes: parsed.globals.yes,
    async held(work) {
      reporter.pause();
      try {
        return await work();
      } finally {
        reporter.resume();
      }
    },
  });
  const { args, options, given } = parsed;
  return { args, options, given, terminal };
}

async function printResult(parsed: Run, result: unknown, process: Process): Promise<void> {
  const { command, globals } = parsed;
  const clean = command.verbatim ? (text: string) => text : redact;
  if (globals.output === 'json') {
    const json = command.verbatim ? result : redactJson(result);
    await write(process.stdout, `${JSON.stringify(json ?? null, undefined, 2)}\n`);
  } else if (command.text) {
    const style = createStyle(wantsColours(process.stdout, process.env));
    const text = command.text(result, style);
    if (text !== '') await write(process.stdout, `${clean(text)}\n`);
  }
}

/** With JSON the error is the one object on stdout, so that a program reads a single stream. */
async function printError(error: unknown, json: boolean, process: Process): Promise<number> {
  if (json) {
    await write(process.stdout, `${JSON.stringify({ error: errorJson(error) }, undefined, 2)}\n`);
  } else {
    const style = createStyle(wantsColours(process.stderr, process.env));
    await write(process.stderr, `${errorText(error, style)}\n`);
  }
  return exitCodeOf(error);
}

const noCommand = () =>
  new AtollError('USAGE', 'Cannot run anything: the command is missing', {
    hint: 'Run "atoll --help"',
  });

/** For a command line that could not be parsed: what it would have asked for. */
function wantsJson(argv: readonly string[]): boolean {
  return argv.some(
    (word, index) =>
      word === '--output=json' || (word === '--output' && argv[index + 1] === 'json'),
  );
}

/** Resolves when the text has left us; a reader that went away early is not our failure. */
function write(stream: NodeJS.WritableStream, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.write(text, (error) => {
      if (!error || systemCodeOf(error) === 'EPIPE') resolve();
      else reject(error);
    });
  });
}
