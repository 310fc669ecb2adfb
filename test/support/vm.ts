import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from './docker-registry.ts';
import { MACHINE, peerPath } from './peers.ts';

/** How the machine names the one it runs on. */
export const OUTSIDE = '10.0.2.2';

export interface Vm {
  readonly port: number;
  readonly user: string;
  readonly identity: string;
  readonly hostKeys: readonly string[];
  /** Ports of this machine that lead to ports of that one. */
  readonly ports: ReadonlyMap<number, number>;
  readonly stop: () => Promise<void>;
}

/** A real machine without a hypervisor: slow, and as real as one. What it writes is forgotten. */
export async function startVm(inside: readonly number[]): Promise<Vm> {
  const port = await freePort();
  const ports = new Map<number, number>();
  for (const each of inside) ports.set(each, await freePort());
  const forwards = [[22, port] as const, ...ports].map(
    ([there, here]) => `hostfwd=tcp:127.0.0.1:${here}-:${there}`,
  );
  const child = spawn('nice', ['-n', '10', ...qemu(forwards)], { stdio: 'ignore' });
  return {
    port,
    user: 'core',
    identity: join(MACHINE, 'id'),
    hostKeys: [readFileSync(join(MACHINE, 'host.pub'), 'utf8').split(' ').slice(0, 2).join(' ')],
    ports,
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const gone = once(child, 'exit');
      child.kill('SIGKILL');
      await gone;
    },
  };
}

/** Where much else runs, its boot is slow, and it must not give up for that. */
const PATIENT = 'systemd.default_timeout_start_sec=1800 systemd.default_device_timeout_sec=1800';

const qemu = (forwards: readonly string[]): string[] => [
  peerPath('qemu-system-x86_64') ?? 'qemu-system-x86_64',
  ...['-accel', 'tcg,thread=multi', '-cpu', 'max', '-smp', '2', '-m', '1024', '-display', 'none'],
  // A name of a file shows what the machine says, to whoever looks for a failure.
  ...['-monitor', 'none', '-serial', process.env.ATOLL_VM_CONSOLE ?? 'null'],
  ...['-kernel', join(MACHINE, 'vmlinuz'), '-initrd', join(MACHINE, 'initrd')],
  ...['-append', `root=/dev/vda console=ttyS0 quiet net.ifnames=0 mitigations=off ${PATIENT}`],
  ...['-drive', `file=${join(MACHINE, 'disk.img')},format=raw,if=virtio,snapshot=on`],
  ...['-netdev', `user,id=n,${forwards.join(',')}`, '-device', 'virtio-net-pci,netdev=n,romfile='],
];
