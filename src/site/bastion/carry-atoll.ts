import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { pack } from 'tar-stream';
import type { Context } from '../../core/context.ts';
import { AtollError } from '../../core/errors.ts';
import { shellLine } from '../../core/format.ts';
import { type SelfCommand, selfCommand } from '../../core/self.ts';
import type { Host } from '../../host/host.ts';
import type { BastionPlace } from './bastion-place.ts';

/** What `uname -m` says where Node says this. */
const MACHINES: Readonly<Record<string, string>> = { x64: 'x86_64', arm64: 'aarch64' };

/** What of the package the program needs to run. */
const PARTS = [
  'dist/cli',
  'dist/chunks',
  'dist/package.json',
  'dist/dashboard.html',
  'assets',
  'package.json',
];

/** Whether a Node there is new enough; the floor is the one in package.json. */
const NODE_SCRIPT = `node -e 'const [a,b]=process.versions.node.split(".");process.exit(a>20||a==20&&b>=19?0:1)' 2>/dev/null && command -v node`;

/** The program gets the label that services may start, where SELinux asks for one. */
const LABEL =
  'if command -v chcon >/dev/null && selinuxenabled 2>/dev/null; then chcon -R -t bin_t "$1"; fi';

/** Puts atoll itself on the bastion, as it runs here: executable, one file, or package. */
export async function carryAtoll(ctx: Context, host: Host, place: BastionPlace): Promise<void> {
  await requireSameMachine(ctx, host);
  const self = selfCommand();
  const [main] = self.args;
  if (main === undefined) await host.put(ctx, place.program, { file: self.file }, { mode: 0o755 });
  else await carryScript(ctx, host, place, self, main);
  await must(ctx, host, 'sh', ['-c', LABEL, 'label', place.programs]);
  await must(ctx, host, place.program, ['version']);
}

async function requireSameMachine(ctx: Context, host: Host): Promise<void> {
  const { stdout } = await host.run(ctx, 'uname', ['-m']);
  const here = MACHINES[process.arch] ?? process.arch;
  if (stdout.trim() === here) return;
  throw new AtollError(
    'PROGRAM_MISSING',
    `Cannot run atoll on ${host.name}: it is ${stdout.trim()}, and this machine is ${here}`,
    { hint: 'Run atoll on a machine of the same kind, or on the bastion itself' },
  );
}

async function carryScript(
  ctx: Context,
  host: Host,
  place: BastionPlace,
  { file }: SelfCommand,
  main: string,
): Promise<void> {
  const found = await host.run(ctx, 'sh', ['-c', NODE_SCRIPT]);
  const node = found.status === 0 ? found.stdout.trim() : join(place.programs, 'node');
  if (found.status !== 0) await host.put(ctx, node, { file }, { mode: 0o755 });
  const there = main.endsWith('.mjs')
    ? await carryBundle(ctx, host, place, main)
    : await carryPackage(ctx, host, place, dirname(dirname(dirname(main))));
  const line = `#!/bin/sh\nexec ${shellLine([node, there])} "$@"\n`;
  await host.put(ctx, place.program, line, { mode: 0o755 });
}

async function carryBundle(
  ctx: Context,
  host: Host,
  { programs }: BastionPlace,
  main: string,
): Promise<string> {
  const there = join(programs, 'atoll.mjs');
  await host.put(ctx, there, { file: main }, { mode: 0o644 });
  return there;
}

/** As a folder named by its content: one that runs is never changed below its feet. */
async function carryPackage(
  ctx: Context,
  host: Host,
  { programs }: BastionPlace,
  root: string,
): Promise<string> {
  const tar = await packageTar(root);
  const sum = createHash('sha256').update(tar).digest('hex').slice(0, 12);
  const folder = join(programs, `atoll-${sum}`);
  const main = join(folder, 'dist/cli/main.js');
  const there = await host.run(ctx, 'test', ['-e', main]);
  if (there.status === 0) return main;
  const unpack =
    'rm -rf "$1.new" && mkdir -p "$1.new" && tar -C "$1.new" -xf - && mv -T "$1.new" "$1"';
  await must(ctx, host, 'sh', ['-c', unpack, 'unpack', folder], tar);
  return main;
}

async function packageTar(root: string): Promise<Buffer> {
  const archive = pack();
  for (const part of PARTS) {
    for (const path of await filesBelow(join(root, part)))
      archive.entry({ name: relative(root, path), mtime: new Date(0) }, await readFile(path));
  }
  archive.finalize();
  const chunks: Uint8Array[] = [];
  for await (const chunk of archive) chunks.push(chunk as Uint8Array);
  return Buffer.concat(chunks);
}

async function filesBelow(path: string): Promise<readonly string[]> {
  if (/\.(?:json|html)$/.test(path)) return existsSync(path) ? [path] : [];
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.map'))
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted();
}

/** Runs a program there that has to succeed. */
export async function must(
  ctx: Context,
  host: Host,
  program: string,
  args: readonly string[],
  input?: string | Uint8Array,
): Promise<string> {
  const { status, stdout, stderr } = await host.run(ctx, program, args, { input });
  if (status === 0) return stdout.trim();
  throw new AtollError(
    'PROGRAM_FAILED',
    `"${program}" ended with status ${status} on ${host.name}: ${(stderr || stdout).trim()}`,
  );
}
