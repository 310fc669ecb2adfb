import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type Context, silentContext } from '../../src/core/context.ts';
import { childrenOf, type Xml } from '../../src/platform/shared/xml.ts';
import { type Markup, type Ref, tag, typedTag } from '../../src/platform/vsphere/client/markup.ts';
import { allBelow, objectAt, propertiesOf } from '../../src/platform/vsphere/client/properties.ts';
import { refIn, textIn } from '../../src/platform/vsphere/client/read.ts';
import { runTask } from '../../src/platform/vsphere/client/task.ts';
import {
  connectVcenter,
  type Vcenter,
  type VcenterOptions,
} from '../../src/platform/vsphere/client/vcenter.ts';
import { createCa, createServerCertificate } from '../../src/registry/tls/certificates.ts';
import { freePort } from './docker-registry.ts';
import { peerPath } from './peers.ts';

const ctx = silentContext();
export const VCENTER_LOGIN = { username: 'ops', password: 'open-sesame-9' };
const ROOT: Ref = { type: 'Folder', value: 'group-d1' };

export interface Vcsim {
  /** `localhost:PORT` */
  readonly server: string;
  /** File of the CA of its certificate. */
  readonly ca: string;
  readonly caText: string;
  readonly connect: (options?: Partial<VcenterOptions>) => Vcenter;
  /** Names of all machines that are there. */
  machines(): Promise<readonly string[]>;
  /** Options of a machine, as its guest and the vCenter see them. */
  options(path: string): Promise<ReadonlyMap<string, string>>;
  stop(): Promise<void>;
}

/** The simulator of a vCenter: one datacenter, one compute cluster, some machines. */
export async function startVcsim(): Promise<Vcsim> {
  const folder = await mkdtemp(join(tmpdir(), 'atoll-vcsim-'));
  const validity = { days: 2, now: new Date() };
  const authority = await createCa('vCenter', validity);
  const own = await createServerCertificate(authority, ['localhost'], validity);
  const at = (name: string) => join(folder, name);
  await writeFile(at('ca.crt'), authority.certificate);
  await writeFile(at('tls.crt'), own.certificate);
  await writeFile(at('tls.key'), own.key, { mode: 0o600 });
  const port = await freePort();
  const args = [
    ...['-l', `127.0.0.1:${port}`, '-tlscert', at('tls.crt'), '-tlskey', at('tls.key')],
    ...['-username', VCENTER_LOGIN.username, '-password', VCENTER_LOGIN.password],
  ];
  const child = spawn(peerPath('vcsim') ?? 'vcsim', args, { stdio: ['ignore', 'pipe', 'ignore'] });
  await once(createInterface(child.stdout), 'line');
  const server = `localhost:${port}`;
  const connect = (options: Partial<VcenterOptions> = {}) =>
    connectVcenter({
      server,
      ca: at('ca.crt'),
      login: async () => VCENTER_LOGIN,
      env: {},
      ...options,
    });
  const vcenter = connect();
  return {
    server,
    ca: at('ca.crt'),
    caText: authority.certificate,
    connect,
    machines: async () => {
      const wanted = { container: ROOT, type: 'VirtualMachine', names: ['name'] };
      const found = await allBelow(ctx, vcenter, wanted);
      return found.map(({ properties }) => textIn(properties.get('name')));
    },
    options: async (path) => {
      const vm = await objectAt(ctx, vcenter, path);
      if (vm === undefined) return new Map();
      const found = await propertiesOf(ctx, vcenter, vm, ['config.extraConfig']);
      const values = childrenOf(found.get('config.extraConfig'), 'OptionValue');
      return new Map(values.map((each) => [textIn(each, 'key'), textIn(each, 'value')]));
    },
    stop: async () => {
      await vcenter.close();
      const gone = once(child, 'exit');
      child.kill('SIGKILL');
      await gone;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/**
 * The simulator with what it lacks: it forgets the options that a clone is made with, and inside of its
 * machines there are no tools that would tell their address.
 */
export function mended(vcenter: Vcenter): Vcenter {
  const address = typedTag('extraConfig', 'OptionValue', [
    tag('key', 'SET.guest.ipAddress'),
    typedTag('value', 'xsd:string', '127.0.0.1'),
  ]);
  const change = async (context: Context, target: Ref, spec: Markup) => {
    const world = { vcenter, pollMs: 1 };
    const call = { doing: 'mend', method: 'ReconfigVM_Task', target, fields: [spec] };
    await runTask(context, world, call);
  };
  const call: Vcenter['call'] = async (context, doing, method, target, fields = []) => {
    const answer = await vcenter.call(context, doing, method, target, fields);
    if (method === 'PowerOnVM_Task') await change(context, target, tag('spec', [address]));
    if (method !== 'CloneVM_Task') return answer;
    const sent = fields.map(({ markup }) => markup).join('');
    const clone = await cloneOf(context, vcenter, answer);
    const [, config = ''] = /<config>(.*)<\/config>/s.exec(sent) ?? [];
    if (clone) await change(context, clone, { markup: `<spec>${config}</spec>` });
    return answer;
  };
  return { ...vcenter, call };
}

async function cloneOf(
  context: Context,
  vcenter: Vcenter,
  answer: Xml | undefined,
): Promise<Ref | undefined> {
  const task = refIn(answer);
  if (task === undefined) return undefined;
  for (;;) {
    const info = (await propertiesOf(context, vcenter, task, ['info'])).get('info');
    if (textIn(info, 'state') === 'success') return refIn(info, 'result');
    if (textIn(info, 'state') === 'error') return undefined;
  }
}
