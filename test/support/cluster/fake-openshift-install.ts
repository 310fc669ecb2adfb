import { once } from 'node:events';
import { appendFile, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { parse } from 'yaml';
import { KINDS } from '../../../src/cluster/api/kinds.ts';
import { stateOf } from '../../../src/cluster/csr/certificate-request.ts';
import { silentContext } from '../../../src/core/context.ts';
import { formatLogrus } from '../../../src/observe/formats/installer-log.ts';
import { allowRequests, askForCertificate, CLIENT, SERVING } from './certificate-requests.ts';
import { FakeOperators, OPERATORS } from './fake-operators.ts';
import type { KubeApi } from './kube-api.ts';

const MASTERS = ['master-0', 'master-1', 'master-2'];
const WORKER = 'worker-0';
/** Machines have addresses of their own on this one, so that the mirror can tell them apart. */
export const FAKE_ADDRESSES: Readonly<Record<string, string>> = {
  bootstrap: '127.0.0.10',
  'master-0': '127.0.0.11',
  'master-1': '127.0.0.12',
  'master-2': '127.0.0.13',
  'worker-0': '127.0.0.14',
};

/** What of an install-config the fake understands. */
interface Config {
  readonly metadata: { readonly name: string };
  readonly baseDomain: string;
  readonly pullSecret: string;
  readonly additionalTrustBundle?: string;
}

interface Mirrored {
  readonly kind: string;
  readonly source: string;
  readonly target: string;
  readonly digest: string;
  readonly component?: string;
  readonly release?: { readonly version: string };
}

/** Ways in which an install can go wrong. */
export interface FakeTrouble {
  /** The API is away for this long in the middle of the install. */
  readonly apiAwayMs?: number;
  /** An operator is degraded, in these words, and stays so. */
  readonly degraded?: { readonly operator: string; readonly message: string };
  /** The worker never asks to join. */
  readonly noWorker?: boolean;
  /** Somebody who is not expected asks to join. */
  readonly stranger?: boolean;
  /** Machines ask for an image that the mirror has not got, again and again. */
  readonly missingImage?: string;
  /** Machines come with a wrong password, again and again. */
  readonly wrongPassword?: boolean;
}

/**
 * A fake `openshift-install`, with machines and operators that are as fake: it makes the files of the
 * real one, says what the real one says in the real form, and drives a real Kubernetes API through an
 * install, while its machines pull manifests from the real mirror. The program that atoll starts is
 * only a wire to this object.
 */
export class FakeOpenshiftInstall {
  /** Each call of the program, its arguments joined. */
  readonly calls: string[] = [];
  /** Names of the manifests that went into the cluster. */
  manifests: readonly string[] = [];
  trouble: FakeTrouble = {};
  /** How many calls are under way. */
  running = 0;
  /** How long each step of an install takes. */
  paceMs = 20;
  readonly #api: KubeApi;
  readonly #folder: string;
  readonly #state: string;
  readonly #server: Server;
  #config: Config | undefined;
  #channel: string | undefined;
  #operators: FakeOperators | undefined;

  private constructor(api: KubeApi, folder: string, state: string) {
    this.#api = api;
    this.#folder = folder;
    this.#state = state;
    this.#server = createServer((socket) => this.#serve(socket));
  }

  /** `folder` is for its own files; `state` is the `.atoll` of the site that it installs. */
  static async start(api: KubeApi, folder: string, state: string): Promise<FakeOpenshiftInstall> {
    const fake = new FakeOpenshiftInstall(api, folder, state);
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'fake-openshift-install.mjs'), wire(fake.#socket));
    fake.#server.listen(fake.#socket);
    await once(fake.#server, 'listening');
    return fake;
  }

  /** What stands in the place of the program. */
  get script(): string {
    const program = join(this.#folder, 'fake-openshift-install.mjs');
    return `#!/bin/sh\n# fake-openshift-install\nexec '${process.execPath}' '${program}' "$@"\n`;
  }

  get #socket(): string {
    return join(this.#folder, 'fake.sock');
  }

  async stop(): Promise<void> {
    this.#server.close();
    await this.#operators?.stop();
  }

  #serve(socket: Socket): void {
    const gone = new AbortController();
    socket.on('close', () => gone.abort());
    // Whoever ends the program cuts its line: the reader tells the socket's errors again as its own while it
    // reads, and listens to none once it has read all.
    socket.on('error', () => undefined);
    const lines = createInterface({ input: socket }).on('error', () => undefined);
    lines.once('line', async (line) => {
      const args = JSON.parse(line) as string[];
      this.calls.push(args.join(' '));
      this.running += 1;
      const call = new Call(socket, gone.signal, args.at(-1) ?? '');
      const status = await this.#run(call, args.slice(0, 2).join(' ')).catch(async (error) => {
        if (gone.signal.aborted) return 1;
        await call.say('fatal', String(error)).catch(() => undefined);
        return 1;
      });
      this.running -= 1;
      call.end(status);
    });
  }

  async #run(call: Call, command: string): Promise<number> {
    if (command === 'create manifests') return await this.#createManifests(call);
    if (command === 'create ignition-configs') return await this.#createIgnition(call);
    this.#config ??= parse(await readFile(join(call.folder, '..', 'install-config.yaml'), 'utf8'));
    if (command === 'wait-for bootstrap-complete') return await this.#bootstrap(call);
    if (command === 'wait-for install-complete') return await this.#install(call);
    return 1;
  }

  async #createManifests(call: Call): Promise<number> {
    const path = join(call.folder, 'install-config.yaml');
    this.#config = parse(await readFile(path, 'utf8'));
    await rm(path);
    await call.say('info', 'Consuming Install Config from target directory');
    for (const name of ['manifests', 'openshift'])
      await mkdir(join(call.folder, name), { recursive: true });
    await writeFile(join(call.folder, 'manifests', 'cvo-overrides.yaml'), CVO_OVERRIDES);
    const names = [join(call.folder, 'manifests'), join(call.folder, 'openshift')];
    await call.say('info', `Manifests created in: ${names.join(', ')} and openshift`);
    return 0;
  }

  async #createIgnition(call: Call): Promise<number> {
    const at = (...names: string[]) => join(call.folder, ...names);
    this.manifests = [...(await readdir(at('manifests'))), ...(await readdir(at('openshift')))];
    const version = parse(await readFile(at('manifests', 'cvo-overrides.yaml'), 'utf8'));
    this.#channel = version.spec.channel;
    await rm(at('manifests'), { recursive: true });
    await rm(at('openshift'), { recursive: true });
    await mkdir(at('auth'), { recursive: true });
    const kubeconfig = await readFile(await this.#api.kubeconfig());
    await writeFile(at('auth', 'kubeconfig'), kubeconfig, { mode: 0o600 });
    await writeFile(at('auth', 'kubeadmin-password'), 'fake-fake-fake-fake', { mode: 0o600 });
    for (const role of ['bootstrap', 'master', 'worker'])
      await writeFile(at(`${role}.ign`), '{"ignition":{"version":"3.2.0"}}');
    await writeFile(at('metadata.json'), JSON.stringify({ clusterName: this.#name }));
    await call.say('info', `Ignition-Configs created in: ${call.folder} and ${at('auth')}`);
    return 0;
  }

  async #bootstrap(call: Call): Promise<number> {
    const url = this.#url;
    await call.say(
      'info',
      `Waiting up to 20m0s (until ${until()}) for the Kubernetes API at ${url}...`,
    );
    await this.#misbehave(call);
    await this.#pull('bootstrap');
    const operators = await this.#begin();
    await call.say('info', 'API v1.31.5 up');
    await call.say(
      'info',
      `Waiting up to 45m0s (until ${until()}) for bootstrapping to complete...`,
    );
    for (const name of MASTERS) {
      await this.#step(call);
      await this.#pull(name);
      await operators.join(name);
    }
    await operators.put({
      ...KINDS.configMap,
      metadata: { name: 'bootstrap', namespace: 'kube-system' },
      data: { status: 'complete' },
    });
    await call.say('debug', 'Bootstrap status: complete');
    await call.say('info', 'Waiting for the bootstrap etcd member to be removed...');
    await call.say('info', 'Bootstrap etcd member has been removed');
    await call.say('info', 'It is now safe to remove the bootstrap resources');
    await call.say('info', 'Time elapsed: 1s');
    return 0;
  }

  async #install(call: Call): Promise<number> {
    const operators = await this.#begin();
    const { degraded, apiAwayMs, stranger, noWorker } = this.trouble;
    await call.say(
      'info',
      `Waiting up to 40m0s (until ${until()}) for the cluster at ${this.#url} to initialize...`,
    );
    if (stranger) await this.#ask('stranger', 'csr-stranger', CLIENT, 'evil');
    if (apiAwayMs !== undefined) {
      await this.#api.away();
      await pause(apiAwayMs);
      await this.#api.back();
    }
    for (const [index, name] of OPERATORS.entries()) {
      await this.#step(call);
      const done = `Working towards ${this.#version}: ${300 * (index + 1)} of 900 done (${33 * (index + 1)}% complete)`;
      await operators.progressing(done);
      await call.say('debug', `Still waiting for the cluster to initialize: ${done}`);
      if (degraded?.operator === name) await operators.degrade(name, degraded.message);
      else await operators.settle(name);
    }
    if (noWorker || degraded) return await this.#giveUp(call);
    await this.#joinWorker(call, operators);
    await operators.version([]);
    const stable = 'to ensure each cluster operator has finished progressing...';
    await call.say('info', `Waiting up to 30m0s (until ${until()}) ${stable}`);
    await call.say('info', 'All cluster operators have completed progressing');
    await call.say('info', 'Install complete!');
    const kubeconfig = join(call.folder, 'auth', 'kubeconfig');
    await call.say(
      'info',
      `To access the cluster as the system:admin user when using 'oc', run\n    export KUBECONFIG=${kubeconfig}`,
    );
    await call.say('info', `Time elapsed: 1s`);
    return 0;
  }

  /** Waits as the real one does, which is long; a test ends the wait by ending the program. */
  async #giveUp(call: Call): Promise<number> {
    for (;;) {
      await call.say('debug', 'Still waiting for the cluster to initialize: Working towards it');
      await pause(200);
      call.gone.throwIfAborted();
    }
  }

  /** As a machine that boots: it asks to join, is let in by somebody, and then asks to serve. */
  async #joinWorker(call: Call, operators: FakeOperators): Promise<void> {
    await this.#pull(WORKER);
    await this.#ask('bootstrapper', 'csr-join', CLIENT, WORKER);
    await this.#granted(call, 'csr-join');
    await operators.join(WORKER);
    await this.#ask('worker-0', 'csr-serve', SERVING, WORKER);
    await this.#granted(call, 'csr-serve');
  }

  async #ask(
    user: 'bootstrapper' | 'worker-0' | 'stranger',
    name: string,
    what: typeof CLIENT,
    node: string,
  ): Promise<void> {
    const hosts = what === SERVING ? { dns: [node], ip: ['192.0.2.10'] } : {};
    const names = { subject: `CN=system:node:${node}, O=system:nodes`, ...hosts };
    const resources = await this.#api.resources();
    const there = await resources.get(silentContext(), { ...KINDS.certificateRequest, name });
    if (!there) await askForCertificate(this.#api, user, { name, what, names });
  }

  async #granted(call: Call, name: string): Promise<void> {
    const resources = await this.#api.resources();
    for (;;) {
      const found = await resources.get(silentContext(), { ...KINDS.certificateRequest, name });
      if (found && stateOf(found) === 'approved') return;
      await pause(100);
      call.gone.throwIfAborted();
    }
  }

  async #begin(): Promise<FakeOperators> {
    if (this.#operators) return this.#operators;
    const images = await this.#mirrored();
    const release = images.find(({ kind }) => kind === 'release');
    const component = images.find(({ kind }) => kind === 'component');
    const operators = new FakeOperators(await this.#api.resources(), {
      version: this.#version,
      release: `${release?.source.replace(/[:@][^/]*$/, '')}@${release?.digest}`,
      image: () => `${component?.source.replace(/@.*$/, '')}@${component?.digest}`,
    });
    this.#operators = operators;
    await allowRequests(operators);
    await operators.begin();
    await operators.put({
      ...KINDS.clusterVersion,
      metadata: { name: 'version' },
      spec: { clusterID: CLUSTER_ID, ...(this.#channel ? { channel: this.#channel } : {}) },
    });
    await operators.progressing('Working towards it');
    operators.play();
    return operators;
  }

  async #step(call: Call): Promise<void> {
    await pause(this.paceMs);
    call.gone.throwIfAborted();
  }

  /** Machines that cannot get what they need go on asking, and nothing else comes of it. */
  async #misbehave(call: Call): Promise<void> {
    const { missingImage, wrongPassword } = this.trouble;
    while (missingImage !== undefined || wrongPassword) {
      await this.#pull('bootstrap');
      await pause(50);
      call.gone.throwIfAborted();
    }
  }

  /** Asks the mirror for manifests, as the machine with this name would. */
  async #pull(machine: string): Promise<void> {
    const { missingImage, wrongPassword } = this.trouble;
    const images = (await this.#mirrored()).filter(({ kind }) => kind === 'component');
    for (const { target, digest } of images.slice(0, 4)) {
      const [host = '', ...path] = target.replace(/:[^/:]*$/, '').split('/');
      const auth = JSON.parse(this.#config?.pullSecret ?? '{}').auths[host]?.auth ?? '';
      await askMirror({
        port: Number(host.split(':')[1]),
        path: `/v2/${path.join('/')}/manifests/${missingImage ?? digest}`,
        authorization: wrongPassword ? 'Basic YTpi' : `Basic ${auth}`,
        localAddress: FAKE_ADDRESSES[machine] ?? '127.0.0.1',
        ca: this.#config?.additionalTrustBundle,
      });
    }
  }

  async #mirrored(): Promise<Mirrored[]> {
    const path = join(this.#state, 'mirror', 'working-dir', 'mirrored.json');
    return JSON.parse(await readFile(path, 'utf8')).images;
  }

  readonly #version = '4.18.2';

  get #name(): string {
    return this.#config?.metadata.name ?? '';
  }

  get #url(): string {
    return `https://api.${this.#name}.${this.#config?.baseDomain}:6443`;
  }
}

const CLUSTER_ID = '6a3f0b84-7b7f-4c0d-9d0d-000000000000';
const CVO_OVERRIDES = `apiVersion: config.openshift.io/v1
kind: ClusterVersion
metadata:
  name: version
  namespace: openshift-cluster-version
spec:
  channel: stable-4.18
  clusterID: ${CLUSTER_ID}
`;

const until = () => `${new Date().toISOString().slice(11, 16)} UTC`;

/** One run of the program: what it prints also goes to its log, as with the real one. */
class Call {
  readonly #socket: Socket;
  readonly gone: AbortSignal;
  readonly folder: string;

  constructor(socket: Socket, gone: AbortSignal, folder: string) {
    this.#socket = socket;
    this.gone = gone;
    this.folder = folder;
  }

  async say(level: 'debug' | 'info' | 'error' | 'fatal', message: string): Promise<void> {
    const line = `${formatLogrus(new Date(), level, message)}\n`;
    await appendFile(join(this.folder, '.openshift_install.log'), line);
    if (level === 'debug') return;
    this.#send({ line: `level=${level} msg=${JSON.stringify(message)}` });
  }

  end(status: number): void {
    this.#send({ status });
    this.#socket.end();
  }

  #send(message: object): void {
    if (!this.gone.aborted) this.#socket.write(`${JSON.stringify(message)}\n`);
  }
}

/** The program: it hands its arguments over, prints what comes back, and leaves as it is told. */
const wire = (socket: string) => `import { connect } from 'node:net';
import { createInterface } from 'node:readline';
const socket = connect(${JSON.stringify(socket)});
socket.write(JSON.stringify(process.argv.slice(2)) + '\\n');
createInterface({ input: socket }).on('line', (text) => {
  const { line, status } = JSON.parse(text);
  if (line !== undefined) process.stderr.write(line + '\\n');
  if (status !== undefined) process.exitCode = status;
});
`;

interface Asked {
  readonly port: number;
  readonly path: string;
  readonly authorization: string;
  readonly localAddress: string;
  readonly ca: string | undefined;
}

async function askMirror({ port, path, authorization, localAddress, ca }: Asked): Promise<void> {
  const host = '127.0.0.1';
  const accept =
    'application/vnd.docker.distribution.manifest.v2+json, application/vnd.oci.image.manifest.v1+json';
  const agent = 'cri-o/1.31.5 go/go1.23.4 os/linux arch/amd64';
  const headers = { authorization, accept, 'user-agent': agent, host: `127.0.0.1:${port}` };
  const options = { host, port, path, headers, localAddress, ca };
  await new Promise<void>((resolve) => {
    const asked = request(options, (response) => {
      response.resume();
      response.on('close', () => resolve());
    });
    asked.on('error', () => resolve());
    asked.end();
  });
}
