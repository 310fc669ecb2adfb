import { execFile } from 'node:child_process';
import { isIP } from 'node:net';
import { promisify } from 'node:util';
import type { NodeConfig } from '../node/node-config.ts';
import { startForward } from './forward.ts';
import type { NamespacePlan } from './namespace-plan.ts';

const run = promisify(execFile);

/**
 * Opens the doors of the mirror in a namespace that has nothing but a loopback device: the mirror's
 * addresses are put on it, and what comes in there leaves through the sockets of the plan.
 */
export async function openDoors({ doors }: NamespacePlan): Promise<() => void> {
  await run('ip', ['link', 'set', 'lo', 'up']);
  for (const address of new Set(doors.map((door) => door.address))) {
    if (!isLoopback(address)) await run('ip', ['addr', 'add', withLength(address), 'dev', 'lo']);
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

const isLoopback = (address: string) => address.startsWith('127.') || address === '::1';

const withLength = (address: string) => `${address}/${isIP(address) === 6 ? 128 : 32}`;

/** The same node where names are those of the plan: DNS cannot be reached from here. */
export function withoutDns(config: NodeConfig, { hosts }: NamespacePlan): NodeConfig {
  return { ...config, dns: false, hosts: new Map([...config.hosts, ...Object.entries(hosts)]) };
}
