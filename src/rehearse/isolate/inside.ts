import { isIP } from 'node:net';
import type { Context } from '../../core/context.ts';
import { AtollError } from '../../core/errors.ts';
import { runProgram } from '../../core/process.ts';
import type { NodeConfig } from '../node/node-config.ts';
import { startForward } from './forward.ts';
import type { NamespacePlan } from './namespace-plan.ts';

/**
 * Opens the doors of the mirror in a namespace that has nothing but a loopback device: the mirror's
 * addresses are put on it, and what comes in there leaves through the sockets of the plan.
 */
export async function openDoors(ctx: Context, { doors }: NamespacePlan): Promise<() => void> {
  await ip(ctx, ['link', 'set', 'lo', 'up']);
  for (const address of new Set(doors.map((door) => door.address))) {
    if (!isLoopback(address)) await ip(ctx, ['addr', 'add', withLength(address), 'dev', 'lo']);
  }
  const servers = await Promise.all(
    doors.map(({ address, port, socket }) =>
      startForward({ host: address, port }, { path: socket }),
    ),
  );
  return () => {
    for (const server of servers) server.close();
  };
}

async function ip(ctx: Context, args: readonly string[]): Promise<void> {
  const { status, stderr } = await runProgram(ctx, 'ip', args);
  if (status !== 0)
    throw new AtollError('PROGRAM_FAILED', `Cannot set up the namespace: ${stderr.trim()}`);
}

const isLoopback = (address: string) => address.startsWith('127.') || address === '::1';

const withLength = (address: string) => `${address}/${isIP(address) === 6 ? 128 : 32}`;

/** The same node where names are those of the plan: DNS cannot be reached from here. */
export function withoutDns(config: NodeConfig, { hosts }: NamespacePlan): NodeConfig {
  return { ...config, dns: false, hosts: new Map([...config.hosts, ...Object.entries(hosts)]) };
}
