import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import {
  closeSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { bundle } from '../scripts/bundle.mjs';
import { startAtoll } from './support/atoll-process.ts';
import { FakeScreen } from './support/screen.ts';

// Whole programs start here, and a busy machine takes its time.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const folder = mkdtempSync(join(tmpdir(), 'atoll-cli-'));
const harness = join(folder, 'harness.mjs');
const atoll = join(folder, 'atoll.mjs');

beforeAll(async () => {
  const entry = join(import.meta.dirname, 'support', 'harness.ts');
  await bundle({ entry, outfile: harness, format: 'esm' });
  await bundle({ outfile: atoll, format: 'esm' });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function start(name: string): {
  child: ChildProcess;
  ended: Promise<{ status: number | null; stderr: string }>;
} {
  const child = spawn(process.execPath, [harness, name], { stdio: ['ignore', 'pipe', 'pipe'] });
  let stderr = '';
  child.stderr?.on('data', (chunk) => {
    stderr += chunk;
  });
  const ended = new Promise<{ status: number | null; stderr: string }>((resolve) =>
    child.on('close', (status) => resolve({ status, stderr })),
  );
  return { child, ended };
}

const told = (child: ChildProcess, words: string) =>
  new Promise<void>((resolve) => {
    child.stderr?.on('data', (chunk) => {
      if (String(chunk).includes(words)) resolve();
    });
  });

/** Resolves once a process has a file open. */
const reads = (pid: number, path: string) =>
  vi.waitFor(
    () => {
      const open = readdirSync(`/proc/${pid}/fd`).map((name) => `/proc/${pid}/fd/${name}`);
      expect(open.map((link) => readlinkSync(link))).toContain(path);
    },
    { timeout: 60_000 },
  );

describe('the process', () => {
  test('stops cleanly at one Ctrl-C, says how to go on and exits 130', async () => {
    const { child, ended } = start('wait');
    await told(child, 'waiting');

    child.kill('SIGINT');

    const { status, stderr } = await ended;
    expect(status).toBe(130);
    expect(stderr).toContain('[INTERRUPTED]');
    expect(stderr).toContain('what is finished is kept: atoll wait');
  });

  test('leaves at once at the second Ctrl-C', async () => {
    const { child, ended } = start('stubborn');
    await told(child, 'waiting');

    child.kill('SIGINT');
    await told(child, 'again');
    child.kill('SIGINT');

    expect(await ended).toMatchObject({ status: 130 });
  });

  test.each(['SIGINT', 'SIGTERM'] as const)(
    'leaves at the second %s also where it reads a pipe whose writer is silent',
    async (signal) => {
      const pipe = join(mkdtempSync(join(folder, 'silent-')), 'pipe');
      execFileSync('mkfifo', [pipe]);
      const writer = openSync(pipe, 'r+');
      const { child, told, ended } = startAtoll(atoll, ['validate', '--site', pipe]);
      await reads(child.pid ?? 0, pipe);

      child.kill(signal);
      await told('Stopping cleanly');
      child.kill(signal);

      expect(await ended).toMatchObject({ status: 130 });
      closeSync(writer);
    },
  );

  test('prints the stack of what nobody caught and exits 1', async () => {
    const { status, stderr } = await start('bug').ended;

    expect(status).toBe(1);
    expect(stderr).toContain('This is a bug in atoll');
    expect(stderr).toContain('TypeError: planted');
  });

  test('does not call it a success when a command comes to no end', async () => {
    const { status, stderr } = await start('endless').ended;

    expect(status).toBe(1);
    expect(stderr).toContain('The command came to no end');
  });

  test('says that the disk is full when its output does not fit', () => {
    const line = `'${process.execPath}' '${harness}' long > /dev/full; echo $?`;

    const { stdout, stderr } = spawnSync('bash', ['-c', line], { encoding: 'utf8' });

    expect(stdout).toBe('3\n');
    expect(stderr).toContain('the disk is full [DISK_FULL]');
  });

  test('writes a long result to the last byte, and does not mind a reader that leaves early', () => {
    const node = `'${process.execPath}' '${harness}' long`;

    const all = execFileSync('bash', ['-c', `${node} | wc -l`], { encoding: 'utf8' });
    const early = spawnSync('bash', ['-c', `${node} | head -1; echo "status \${PIPESTATUS[0]}"`], {
      encoding: 'utf8',
    });

    expect(Number(all)).toBe(200_001);
    expect(early.stdout).toBe('line\nstatus 0\n');
    expect(early.stderr).toBe('');
  });

  test('knows how to start itself again', () => {
    const output = execFileSync(process.execPath, [harness, 'self'], { encoding: 'utf8' });

    expect(JSON.parse(output)).toEqual({ file: process.execPath, args: [harness] });
  });
});

describe('atoll diagnose', () => {
  const log = join(folder, 'huge.log');
  beforeAll(() => writeFileSync(log, Buffer.alloc(32 * 1024 ** 2, 'x')));

  test.each(['SIGINT', 'SIGTERM'] as const)(
    'ends at %s while it reads huge lines',
    async (signal) => {
      const args = ['diagnose', '--verbose', ...Array<string>(99).fill(log)];
      const { told, child, ended } = startAtoll(atoll, args);
      await told('Reading logs');

      child.kill(signal);

      const { status, stderr } = await ended;
      expect(status).toBe(130);
      expect(stderr).toContain('[INTERRUPTED]');
    },
  );

  test('reads a compressed log from a pipe', () => {
    const words = 'Error: pinging container registry mirror.lab:5000: x509: certificate signed by';
    const { status, stdout } = spawnSync(process.execPath, [atoll, 'diagnose', '-'], {
      input: gzipSync(`${words} unknown authority\n`),
      encoding: 'utf8',
    });

    expect(status).toBe(0);
    expect(stdout).toMatch(/^1 cause found/);
    expect(stdout).toContain('standard input:1 Error: pinging');
  });

  test.each([
    ['SIGINT', ['--explain', '-']],
    ['SIGTERM', ['--explain', '-']],
    ['SIGINT', ['-']],
    ['SIGTERM', ['-']],
    ['SIGKILL', ['-']],
  ] as const)(
    'ends at %s while a pipe has no end, given %s, and leaves nothing behind',
    async (signal, args) => {
      const temporary = mkdtempSync(join(folder, 'tmp-'));
      const child = spawn(process.execPath, [atoll, 'diagnose', ...args], {
        stdio: 'pipe',
        env: { ...process.env, TMPDIR: temporary },
      });
      const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
      // More than a pipe holds: once it is gone, the command reads.
      await new Promise((resolve) => child.stdin.write('x'.repeat(1024 ** 2), resolve));

      child.kill(signal);

      expect(await ended).toBe(signal === 'SIGKILL' ? null : 130);
      expect(readdirSync(temporary)).toEqual([]);
    },
  );

  test('refuses a pipe and a device with a word instead of waiting', () => {
    const pipe = join(folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
    for (const path of [pipe, '/dev/zero']) {
      const { status, stderr } = spawnSync(process.execPath, [atoll, 'diagnose', path], {
        encoding: 'utf8',
      });

      expect(status).toBe(3);
      expect(stderr).toContain(`Cannot read "${path}": found a pipe, socket or device`);
    }
  });
});

describe('on a real terminal', () => {
  /** Runs the harness in a pseudo terminal of the given size and returns all that it wrote. */
  function inTerminal(columns: number, name: string): string {
    const { CI: _, ...env } = process.env;
    const line = `stty cols ${columns} rows 10; '${process.execPath}' '${harness}' ${name}`;
    const { stdout } = spawnSync('script', ['-qec', line, '/dev/null'], {
      encoding: 'utf8',
      env: { ...env, TERM: 'xterm', NO_COLOR: '1' },
    });
    return stdout;
  }

  test.each([100, 44, 20])('progress is live and leaves one line at %i columns', (columns) => {
    const output = inTerminal(columns, 'progress');
    const screen = new FakeScreen(columns);
    screen.write(output);

    expect(output).toContain('\x1b[1A\r\x1b[J');
    expect(output).toMatch(/\d0%/);
    expect(screen.text.join('')).toBe('✓ images of the release');
  });
});

describe('a question on a real terminal', () => {
  /** Types keys once the question stands, and returns what was shown and the exit status. */
  async function answered(keys: string): Promise<{ output: string; status: number | null }> {
    const line = `'${process.execPath}' '${harness}' ask`;
    const child = spawn('script', ['-qec', line, '/dev/null'], { stdio: 'pipe' });
    let output = '';
    child.stdout.on('data', (chunk) => {
      const asked = output.includes('[y/N]');
      output += chunk;
      if (!asked && output.includes('[y/N]')) child.stdin.write(keys);
    });
    const status = await new Promise<number | null>((resolve) => child.on('close', resolve));
    return { output, status };
  }

  test('is answered by a line, and the end of input is no', async () => {
    expect(await answered('y\n')).toMatchObject({
      status: 0,
      output: expect.stringContaining('answer: true'),
    });
    expect((await answered('n\n')).output).toContain('answer: false');
    expect((await answered('\x04')).output).toContain('answer: false');
  });

  test('can be left with Ctrl-C', async () => {
    const { output, status } = await answered('\x03');

    expect(status).toBe(130);
    expect(output).toContain('[INTERRUPTED]');
  });
});

describe('completion', () => {
  test('works in a real bash', () => {
    const script = `
      source <('${process.execPath}' '${atoll}' completion bash)
      complete -p atoll
      reply() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _atoll; echo "$@ -> \${COMPREPLY[*]}"; }
      reply atoll vers
      reply atoll version --out
      reply atoll version --output ''
      reply atoll version ''
      reply atoll --output json comp`;

    const output = execFileSync('bash', ['--norc', '-c', script], { encoding: 'utf8' });

    expect(output.trim().split('\n')).toEqual([
      'complete -o default -F _atoll atoll',
      'atoll vers -> version',
      'atoll version --out -> --output',
      'atoll version --output  -> text json',
      'atoll version  -> ',
      'atoll --output json comp -> completion',
    ]);
  });
});
