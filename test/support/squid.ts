import { type ChildProcess, spawn } from 'node:child_process';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from './docker-registry.ts';
import { peerPath } from './peers.ts';

export interface SquidOptions {
  /** Lines of an htpasswd file; without them anybody may pass. */
  readonly htpasswd?: string;
  /** Names only the proxy knows, with the address of each. */
  readonly hosts?: Readonly<Record<string, string>>;
}

export interface Squid {
  /** `127.0.0.1:PORT` */
  readonly host: string;
  readonly stop: () => Promise<void>;
}

const NCSA_PATHS = ['/usr/lib/squid', '/usr/lib64/squid', '/usr/libexec/squid'];

/** The real squid as a forward proxy on loopback, with its own users and names. */
export async function startSquid(options: SquidOptions = {}): Promise<Squid> {
  const root = await mkdtemp(join(tmpdir(), 'atoll-squid-'));
  // Started as root, squid steps down to a user of its own, which writes here.
  await chmod(root, 0o777);
  const port = await freePort();
  const hosts = Object.entries(options.hosts ?? {}).map(([name, address]) => `${address} ${name}`);
  await writeFile(join(root, 'hosts'), `${hosts.join('\n')}\n`);
  await writeFile(join(root, 'users'), options.htpasswd ?? '');
  await writeFile(join(root, 'squid.conf'), configFor(root, port, options.htpasswd !== undefined));
  const program = peerPath('squid') ?? 'squid';
  const child = spawn(program, ['-N', '-f', join(root, 'squid.conf')], { stdio: 'ignore' });
  await waitUntilOpen(child, port);
  const stop = async () => {
    if (child.exitCode === null) {
      const gone = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGKILL');
      await gone;
    }
    await rm(root, { recursive: true, force: true });
  };
  return { host: `127.0.0.1:${port}`, stop };
}

function configFor(root: string, port: number, wantsUser: boolean): string {
  const helper = NCSA_PATHS.map((path) => join(path, 'basic_ncsa_auth'));
  const access = wantsUser
    ? [
        `auth_param basic program ${helper[0]} ${join(root, 'users')}`,
        'auth_param basic children 1',
        'acl known proxy_auth REQUIRED',
        'http_access allow known',
        'http_access deny all',
      ]
    : ['http_access allow all'];
  return [
    `http_port 127.0.0.1:${port}`,
    ...access,
    `hosts_file ${join(root, 'hosts')}`,
    'cache deny all',
    'cache_mem 8 MB',
    'access_log none',
    'cache_store_log none',
    `cache_log ${join(root, 'cache.log')}`,
    `pid_filename ${join(root, 'squid.pid')}`,
    `coredump_dir ${dirname(root)}`,
    'shutdown_lifetime 0 seconds',
    'pinger_enable off',
    'max_filedescriptors 1024',
    '',
  ].join('\n');
}

async function waitUntilOpen(child: ChildProcess, port: number): Promise<void> {
  for (let tries = 0; tries < 200 && child.exitCode === null; tries += 1) {
    const open = await new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => {
        socket.destroy();
        resolve(true);
      });
      socket.on('error', () => resolve(false));
    });
    if (open) return;
    await sleep(50);
  }
  throw new Error(`squid does not listen on port ${port}`);
}
