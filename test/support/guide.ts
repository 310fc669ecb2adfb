import { execFile } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const ROOT = join(import.meta.dirname, '../..');
const PROGRAMS =
  /^\s*(\$ )?(atoll|npm|aws|cat|cp|scp|ssh|umask|while|openssl|source|journalctl|echo) /;
const isCommand = (line: string): boolean => PROGRAMS.test(line);

/** A command as README or guide tells people to type it. */
export interface Typed {
  readonly file: string;
  readonly line: string;
}

export const GUIDE = readdirSync(join(ROOT, 'docs/guide')).map((name) => `docs/guide/${name}`);

/** The commands of a document: after a prompt in a console, else every line of a block for a shell. */
export function commandsOf(file: string): Typed[] {
  const text = readFileSync(join(ROOT, file), 'utf8');
  const blocks = text.matchAll(/^( *)```(\w*)\n([\s\S]*?)^ *```/gm);
  return [...blocks]
    .flatMap(([, , language = '', body = '']) => {
      const lines = body.replace(/(?:\\|(?<=\|))\n\s*/g, '').split('\n');
      const typed = language === 'console' ? lines.filter((line) => line.startsWith('$ ')) : lines;
      const isShell = ['console', 'sh'].includes(language) || typed.some(isCommand);
      return isShell ? typed.map((line) => line.replace(/^\$ /, '').trim()).filter(isCommand) : [];
    })
    .map((line) => ({ file, line }));
}

/** A home with the built `atoll` on its PATH, as the reader of the guide has it. */
export function guideHome(): string {
  const home = mkdtempSync(join(tmpdir(), 'atoll-guide-'));
  mkdirSync(join(home, 'bin'));
  const program = `#!/bin/sh\nexec ${process.execPath} ${join(ROOT, 'dist/cli/main.js')} "$@"\n`;
  writeFileSync(join(home, 'bin/atoll'), program);
  chmodSync(join(home, 'bin/atoll'), 0o755);
  return home;
}

export interface ShellOptions {
  readonly home: string;
  readonly env?: Readonly<Record<string, string>>;
  /** A terminal, and somebody who answers yes. */
  readonly answers?: boolean;
  /** What the guide says that the command ends with. */
  readonly status?: number;
}

/** Types a line into a shell; what went wrong, or undefined. */
export async function typeInShell(
  folder: string,
  line: string,
  { home, env, answers = false, status = 0 }: ShellOptions,
): Promise<string | undefined> {
  const command = answers ? ['script', '-qec', line, '/dev/null'] : ['bash', '-c', line];
  const [program = '', ...args] = command;
  const running = promisify(execFile)(program, args, {
    cwd: folder,
    env: {
      PATH: `${join(home, 'bin')}:${process.env.PATH}`,
      HOME: home,
      SHELL: '/bin/bash',
      ...env,
    },
    maxBuffer: 64 * 1024 * 1024,
  });
  // Most end without reading it.
  running.child.stdin?.on('error', () => undefined).end(answers ? 'y\n' : '');
  const { code, words } = await running.then(
    ({ stdout }) => ({ code: 0, words: stdout }),
    (error) => ({ code: Number(error.code), words: `${error.stdout}${error.stderr}` }),
  );
  if (code === status) return undefined;
  return `${line}\n  exit ${code}: ${words.trim().split('\n').slice(-3).join(' | ')}`;
}
