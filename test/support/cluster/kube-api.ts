import { type ChildProcess, spawn } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiClient } from '../../../src/cluster/api/client.ts';
import { readKubeconfig } from '../../../src/cluster/api/kubeconfig.ts';
import { Resources } from '../../../src/cluster/api/resources.ts';
import { silentContext } from '../../../src/core/context.ts';
import { toYaml } from '../../../src/core/yaml.ts';
import { freePort } from '../docker-registry.ts';
import { peerPath } from '../peers.ts';
import { makeClientAuthority } from './client-authority.ts';
import { installKinds } from './kinds.ts';

/** Who may log in with a token that is their name. */
const USERS: Readonly<Record<string, readonly [user: string, ...groups: string[]]>> = {
  admin: ['admin', 'system:masters'],
  reader: ['reader'],
  bootstrapper: [
    'system:serviceaccount:openshift-machine-config-operator:node-bootstrapper',
    'system:serviceaccounts:openshift-machine-config-operator',
    'system:serviceaccounts',
  ],
  'worker-0': ['system:node:worker-0', 'system:nodes'],
  stranger: ['stranger'],
};
export type ApiUser = 'admin' | 'reader' | 'bootstrapper' | 'worker-0' | 'stranger' | 'nobody';

export interface KubeApi {
  readonly url: string;
  /** A kubeconfig with a token. */
  readonly kubeconfig: (user?: ApiUser, server?: string) => Promise<string>;
  /** A kubeconfig with a client certificate that is valid until then. */
  readonly certificateKubeconfig: (until: Date) => Promise<string>;
  readonly resources: (user?: ApiUser, server?: string) => Promise<Resources>;
  /** Kills the API; what it keeps stays in etcd. */
  readonly away: () => Promise<void>;
  readonly back: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

class EndedEarly extends Error {}

/**
 * A real etcd and kube-apiserver with the kinds of OpenShift; call `stop` when done. A port that was free may be taken by
 * another test before one of them listens on it: then both start again on others.
 */
export async function startKubeApi(tries = 3): Promise<KubeApi> {
  try {
    return await startOnce();
  } catch (error) {
    if (tries === 1 || !(error instanceof EndedEarly)) throw error;
    return await startKubeApi(tries - 1);
  }
}

async function startOnce(): Promise<KubeApi> {
  const folder = await mkdtemp(join(tmpdir(), 'atoll-kube-'));
  const [port, etcdPort, peerPort] = [await freePort(), await freePort(), await freePort()];
  const url = `https://127.0.0.1:${port}`;
  const authority = await makeClientAuthority();
  await writeFiles(folder, authority.pem);
  const etcd = start('etcd', etcdArgs(folder, etcdPort, peerPort));
  let api = start('kube-apiserver', apiArgs(folder, port, etcdPort));
  const clients: ApiClient[] = [];
  let made = 0;

  const write = async (user: object, server: string) => {
    made += 1;
    const file = join(folder, `kubeconfig-${made}`);
    // It signs its own certificate, so that is its CA.
    const ca = await readFile(join(folder, 'certs', 'apiserver.crt'));
    await writeFile(file, kubeconfigText(server, ca, user), { mode: 0o600 });
    return file;
  };
  const kubeconfig = (user: ApiUser = 'admin', server = url) => write({ token: user }, server);
  const resources = async (user?: ApiUser, server?: string) => {
    const file = await kubeconfig(user, server);
    const client = new ApiClient(await readKubeconfig(file, { now: new Date() }), {
      retry: { attempts: 1 },
    });
    clients.push(client);
    return new Resources(client);
  };
  const back = async () => {
    if (api.exitCode !== null || api.signalCode !== null)
      api = start('kube-apiserver', apiArgs(folder, port, etcdPort));
    await untilReady(api, join(folder, 'certs', 'apiserver.crt'), resources);
  };
  const stop = async () => {
    for (const client of clients) client.close();
    await kill(api);
    await kill(etcd);
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await back();
    await installKinds(silentContext(), await resources());
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    url,
    kubeconfig,
    certificateKubeconfig: async (until) => {
      const { cert, key } = await authority.client('admin', 'system:masters', until);
      const data = (pem: string) => Buffer.from(pem).toString('base64');
      return await write(
        { 'client-certificate-data': data(cert), 'client-key-data': data(key) },
        url,
      );
    },
    resources,
    away: () => kill(api),
    back,
    stop,
  };
}

async function writeFiles(folder: string, clientCa: string): Promise<void> {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const users = Object.entries(USERS).map(
    ([token, [user, ...groups]]) => `${token},"${user}","${user}","${groups.join(',')}"`,
  );
  await writeFile(join(folder, 'sa.key'), privateKey.export({ type: 'pkcs8', format: 'pem' }));
  await writeFile(join(folder, 'sa.pub'), publicKey.export({ type: 'spki', format: 'pem' }));
  await writeFile(join(folder, 'tokens.csv'), `${users.join('\n')}\n`);
  await writeFile(join(folder, 'clients.crt'), clientCa);
}

function etcdArgs(folder: string, port: number, peerPort: number): string[] {
  const client = `http://127.0.0.1:${port}`;
  const peer = `http://127.0.0.1:${peerPort}`;
  return [
    `--data-dir=${join(folder, 'etcd')}`,
    `--listen-client-urls=${client}`,
    `--advertise-client-urls=${client}`,
    `--listen-peer-urls=${peer}`,
    `--initial-advertise-peer-urls=${peer}`,
    `--initial-cluster=default=${peer}`,
    '--unsafe-no-fsync',
    '--log-level=error',
  ];
}

function apiArgs(folder: string, port: number, etcdPort: number): string[] {
  return [
    `--etcd-servers=http://127.0.0.1:${etcdPort}`,
    '--bind-address=127.0.0.1',
    '--advertise-address=127.0.0.1',
    `--secure-port=${port}`,
    `--cert-dir=${join(folder, 'certs')}`,
    `--client-ca-file=${join(folder, 'clients.crt')}`,
    '--service-cluster-ip-range=10.43.0.0/24',
    '--service-account-issuer=https://kubernetes.default.svc',
    `--service-account-key-file=${join(folder, 'sa.pub')}`,
    `--service-account-signing-key-file=${join(folder, 'sa.key')}`,
    `--token-auth-file=${join(folder, 'tokens.csv')}`,
    '--authorization-mode=RBAC',
    '--disable-admission-plugins=ServiceAccount',
    '--endpoint-reconciler-type=none',
    '--watch-cache=true',
  ];
}

function start(peer: 'etcd' | 'kube-apiserver', args: readonly string[]): ChildProcess {
  return spawn(peerPath(peer) ?? peer, args, { stdio: 'ignore' });
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
}

async function untilReady(
  api: ChildProcess,
  certificate: string,
  resources: () => Promise<Resources>,
): Promise<void> {
  for (let tries = 0; tries < 600; tries += 1) {
    if (api.exitCode !== null) throw new EndedEarly(`kube-apiserver ended with ${api.exitCode}`);
    if (existsSync(certificate)) {
      const { client } = await resources();
      const ready = await client
        .send(silentContext(), { path: '/readyz', what: 'see whether it is ready' })
        .then((response) => response.discard().then(() => true))
        .catch(() => false);
      if (ready) return;
    }
    await sleep(200);
  }
  throw new Error('kube-apiserver does not become ready');
}

function kubeconfigText(server: string, ca: Buffer, user: object): string {
  return toYaml({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'test',
    contexts: [{ name: 'test', context: { cluster: 'test', user: 'test' } }],
    clusters: [
      { name: 'test', cluster: { server, 'certificate-authority-data': ca.toString('base64') } },
    ],
    users: [{ name: 'test', user }],
  });
}
