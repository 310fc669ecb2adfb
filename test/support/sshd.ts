import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from './docker-registry.ts';
import { peerPath } from './peers.ts';

export interface Sshd {
  readonly port: number;
  readonly user: string;
  /** File of the private key that may log in. */
  readonly identity: string;
  /** Its public part. */
  readonly publicKey: string;
  /** Public keys of the host, one line each: `ssh-ed25519 AAAA…`. */
  readonly hostKeys: readonly string[];
  readonly folder: string;
  readonly stop: () => Promise<void>;
  /** Starts again what `stop` ended, with the same keys. */
  readonly restart: () => Promise<void>;
  readonly remove: () => Promise<void>;
}

/**
 * The real sshd on loopback: the user of this process may log in with a key made for it. With `programs`,
 * what is in the folder `bin` of it is found first there.
 */
export async function startSshd({ programs = false } = {}): Promise<Sshd> {
  const folder = await mkdtemp(join(tmpdir(), 'atoll-sshd-'));
  const port = await freePort();
  for (const type of ['ed25519', 'ecdsa']) keygen(join(folder, `host_${type}`), type);
  keygen(join(folder, 'id'), 'ed25519');
  await writeFile(join(folder, 'authorized_keys'), await readFile(join(folder, 'id.pub')));
  const path = programs ? [`SetEnv PATH=${join(folder, 'bin')}:/usr/bin:/bin`, ''].join('\n') : '';
  await writeFile(join(folder, 'sshd_config'), configFor(folder, port) + path);
  await chmod(folder, 0o755);
  let child = await start(folder, port);
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  };
  const publicKey = async (type: string) => {
    const text = await readFile(join(folder, `host_${type}.pub`), 'utf8');
    return text.split(' ').slice(0, 2).join(' ').trim();
  };
  return {
    port,
    user: userInfo().username,
    identity: join(folder, 'id'),
    publicKey: (await readFile(join(folder, 'id.pub'), 'utf8')).trim(),
    hostKeys: [await publicKey('ed25519'), await publicKey('ecdsa')],
    folder,
    stop,
    restart: async () => {
      child = await start(folder, port);
    },
    remove: async () => {
      await stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export function keygen(path: string, type = 'ed25519', passphrase = ''): void {
  const args = ['-q', '-t', type, '-N', passphrase, '-C', 'test', '-f', path];
  const { status, stderr } = spawnSync('ssh-keygen', args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`ssh-keygen failed: ${stderr}`);
}

function configFor(folder: string, port: number): string {
  return [
    `Port ${port}`,
    'ListenAddress 127.0.0.1',
    `HostKey ${join(folder, 'host_ed25519')}`,
    `HostKey ${join(folder, 'host_ecdsa')}`,
    `AuthorizedKeysFile ${join(folder, 'authorized_keys')}`,
    `PidFile ${join(folder, 'pid')}`,
    'PermitRootLogin prohibit-password',
    'PasswordAuthentication no',
    'KbdInteractiveAuthentication no',
    'UsePAM no',
    'StrictModes no',
    'PrintMotd no',
    'AllowTcpForwarding yes',
    '',
  ].join('\n');
}

async function start(folder: string, port: number): Promise<ChildProcess> {
  // Started as root it wants an empty folder, which packages make when their service starts.
  if (process.getuid?.() === 0) mkdirSync('/run/sshd', { recursive: true, mode: 0o755 });
  const program = peerPath('sshd') ?? '/usr/sbin/sshd';
  const child = spawn(program, ['-D', '-e', '-f', join(folder, 'sshd_config')], {
    stdio: 'ignore',
  });
  for (let tries = 0; tries < 200 && child.exitCode === null; tries += 1) {
    if (await isOpen(port)) return child;
    await sleep(25);
  }
  throw new Error(`sshd does not listen on port ${port}`);
}

async function isOpen(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

export interface CutLine {
  readonly port: number;
  /** Ends every connection now. */
  readonly cut: () => void;
  /** Ends every connection once, after so many more bytes have gone up or come down. */
  readonly cutAfter: (bytes: number) => void;
  /** How many connections were made. */
  readonly connections: () => number;
  readonly stop: () => Promise<void>;
}

/** A line to a port of this machine that can be cut. */
export async function startCutLine(target: number): Promise<CutLine> {
  const sockets = new Set<Socket>();
  let connections = 0;
  let left = Number.POSITIVE_INFINITY;
  const cut = () => {
    left = Number.POSITIVE_INFINITY;
    for (const socket of sockets) socket.destroy();
    sockets.clear();
  };
  const server = createServer((near) => {
    connections += 1;
    const far = connect(target, '127.0.0.1');
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.on('error', () => to.destroy());
      from.on('close', () => to.destroy());
      from.on('data', (chunk) => {
        left -= chunk.length;
        if (left < 0) cut();
      });
      from.pipe(to);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    port: address.port,
    cut,
    cutAfter: (bytes) => {
      left = bytes;
    },
    connections: () => connections,
    stop: async () => {
      cut();
      server.close();
      await once(server, 'close');
    },
  };
}
