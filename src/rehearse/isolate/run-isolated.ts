import { mkdtemp, rm } from 'node:fs/promises';
import { isIP, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Context } from '../../core/context.ts';
import { messageOf } from '../../core/errors.ts';
import { eventOfLine } from '../../core/events.ts';
import { writeFileAtomic } from '../../core/files.ts';
import { runProgram } from '../../core/process.ts';
import type { SelfCommand } from '../../core/self.ts';
import type { RehearsalNode } from '../node/open-node.ts';
import type { Rehearsal } from '../rehearse.ts';
import { type ChildOutput, rehearsalOf } from './child-result.ts';
import { startForward } from './forward.ts';
import { NAMESPACE_VARIABLE, type NamespacePlan } from './namespace-plan.ts';

/** How to start a program in a network namespace of its own, or why that is not possible. */
export type Isolation =
  | { readonly possible: true; readonly prefix: readonly string[] }
  | { readonly possible: false; readonly reason: string };

const WAYS: readonly (readonly string[])[] = [
  ['unshare', '--net'],
  // Where users may have namespaces of their own, root is not needed.
  ['unshare', '--user', '--map-root-user', '--net'],
];

const TRIAL = ['ip', 'link', 'set', 'lo', 'up'];

/** Tries whether this machine lets us make a network namespace and set up its loopback device. */
export async function findIsolation(ctx: Context): Promise<Isolation> {
  const reasons: string[] = [];
  for (const prefix of WAYS) {
    const [program = '', ...args] = prefix;
    try {
      const { status, stderr } = await runProgram(ctx, program, [...args, ...TRIAL]);
      if (status === 0) return { possible: true, prefix };
      reasons.push(stderr.trim().split('\n').at(-1) ?? '');
    } catch (error) {
      ctx.signal.throwIfAborted();
      reasons.push(messageOf(error));
    }
  }
  return { possible: false, reason: reasons.join('; ') };
}

/**
 * Runs atoll in a network namespace from which only the mirror can be reached, and returns what it
 * printed as JSON. Nothing is left behind: the namespace ends with the process.
 */
export async function runIsolated(
  ctx: Context,
  node: RehearsalNode,
  prefix: readonly string[],
  self: SelfCommand,
): Promise<Rehearsal> {
  const folder = await mkdtemp(join(tmpdir(), 'atoll-netns-'));
  const servers: Server[] = [];
  try {
    const plan = await planNamespace(node, folder);
    for (const { address, port, socket } of plan.doors) {
      servers.push(await startForward({ path: socket }, { host: address, port }));
    }
    const path = join(folder, 'plan.json');
    await writeFileAtomic(path, JSON.stringify(plan));
    const [program = '', ...args] = [...prefix, self.file, ...self.args];
    return rehearsalOf(await output(ctx, program, args, { [NAMESPACE_VARIABLE]: path }));
  } finally {
    for (const server of servers) server.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Addresses of every registry of the site; a name without one is a hole that is found inside. */
async function planNamespace(node: RehearsalNode, folder: string): Promise<NamespacePlan> {
  const hosts: Record<string, string> = {};
  const doors = new Map<string, NamespacePlan['doors'][number]>();
  for (const host of node.inside) {
    const url = new URL(`https://${host}`);
    const name = url.hostname.replace(/^\[|\]$/g, '');
    const address = isIP(name) === 0 ? await node.addressOf(name) : name;
    if (address === undefined) continue;
    if (isIP(name) === 0) hosts[name] = address;
    const port = Number(url.port || 443);
    const socket = join(folder, `${doors.size}.sock`);
    doors.set(`${address} ${port}`, { address, port, socket });
  }
  return { hosts, doors: [...doors.values()] };
}

async function output(
  ctx: Context,
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<ChildOutput> {
  let said = '';
  const { stdout } = await runProgram(ctx, program, args, {
    env,
    onLine: (line, stream) => {
      if (stream === 'stdout') return;
      // The process inside tells its events as JSON lines; they are ours.
      const event = eventOfLine(line);
      if (event) ctx.emit(event);
      else said += `${line}\n`;
    },
  });
  return { stdout, stderr: said };
}
