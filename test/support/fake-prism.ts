import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createCa, createServerCertificate } from '../../src/registry/tls/certificates.ts';

export const PRISM_LOGIN = { username: 'admin', password: 'open-sesame-9' };

interface FakeEntity {
  readonly spec: { readonly name: string; readonly [field: string]: unknown };
  readonly status: object;
  readonly metadata: { readonly uuid: string; readonly [field: string]: unknown };
}

/** Stands for a Prism Central: there is none that could be run here. It knows what atoll asks for, and no more. */
export interface FakePrism {
  readonly port: number;
  readonly ca: string;
  readonly caText: string;
  readonly cluster: string;
  readonly subnet: string;
  /** Entities by kind, as `vms`, and the values of categories by key. */
  readonly kept: Readonly<Record<'clusters' | 'subnets' | 'images' | 'vms', FakeEntity[]>>;
  readonly categories: Map<string, Set<string>>;
  /** Every request that came, as `POST vms`. */
  readonly calls: string[];
  /** Decides about the next requests; a status is answered instead. */
  refuse: ((call: string) => number | undefined) | undefined;
  stop(): Promise<void>;
}

const entity = (name: string, more: object = {}): FakeEntity => ({
  spec: { name },
  status: { name, state: 'COMPLETE', resources: {} },
  metadata: { uuid: randomUUID(), ...more },
});

export async function startFakePrism(): Promise<FakePrism> {
  const folder = await mkdtemp(join(tmpdir(), 'atoll-prism-'));
  const validity = { days: 2, now: new Date() };
  const authority = await createCa('Prism', validity);
  const own = await createServerCertificate(authority, ['localhost'], validity);
  const ca = join(folder, 'ca.crt');
  await writeFile(ca, authority.certificate);
  const kept = {
    clusters: [entity('element-1')],
    subnets: [entity('machines')],
    images: [entity('rhcos-4.18')],
    vms: [entity('somebody-else')],
  };
  const fake = {
    ...{ ca, caText: authority.certificate, kept, port: 0 },
    ...{ calls: [] as string[], categories: new Map<string, Set<string>>() },
    ...{ cluster: uuidOf(kept.clusters), subnet: uuidOf(kept.subnets) },
    refuse: undefined as FakePrism['refuse'],
  };
  const server = createServer({ cert: own.certificate, key: own.key }, (request, response) => {
    void answer(fake, request).then(({ status, body }) => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return Object.assign(fake, {
    port,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await rm(folder, { recursive: true, force: true });
    },
  });
}

const uuidOf = ([first]: readonly FakeEntity[]): string => first?.metadata.uuid ?? '';

interface Answer {
  readonly status: number;
  readonly body: object;
}

const failed = (status: number, message: string): Answer => ({
  status,
  body: { state: 'ERROR', code: status, message_list: [{ message, reason: 'A_REASON' }] },
});
const fine = (body: object): Answer => ({ status: 200, body });
const task = (uuid: string): Answer => ({
  status: 202,
  body: {
    status: { state: 'PENDING', execution_context: { task_uuid: randomUUID() } },
    metadata: { uuid },
  },
});

type Fake = Pick<FakePrism, 'kept' | 'categories' | 'calls' | 'refuse'>;

async function answer(fake: Fake, request: IncomingMessage): Promise<Answer> {
  const path = (request.url ?? '').replace('/api/nutanix/v3/', '');
  const call = `${request.method} ${path.replace(/[0-9a-f-]{36}/, 'UUID')}`;
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString('utf8');
  fake.calls.push(call);
  const basic = Buffer.from(`${PRISM_LOGIN.username}:${PRISM_LOGIN.password}`).toString('base64');
  if (request.headers.authorization !== `Basic ${basic}`)
    return failed(401, 'Authentication required');
  const refused = fake.refuse?.(call);
  if (refused !== undefined) return failed(refused, 'refused for the test');
  if (path === 'users/me') return fine({ status: { name: PRISM_LOGIN.username } });
  if (path.startsWith('tasks/')) return fine({ status: 'SUCCEEDED' });
  if (path.startsWith('categories/')) return categories(fake, request.method ?? '', path);
  return entities(fake, request.method ?? '', path, text === '' ? {} : JSON.parse(text));
}

function categories({ categories: all }: Fake, method: string, path: string): Answer {
  const [, key = '', value] = path.split('/').map(decodeURIComponent);
  const values = all.get(key);
  if (method === 'PUT') {
    if (value !== undefined && values === undefined) return failed(404, 'no such category');
    all.set(key, new Set([...(values ?? []), ...(value === undefined ? [] : [value])]));
    return fine({});
  }
  if (values === undefined) return failed(404, 'no such category');
  if (value === 'list') return fine({ entities: [...values].map((each) => ({ value: each })) });
  if (value === undefined) all.delete(key);
  else if (!values.delete(value)) return failed(404, 'no such value');
  return fine({});
}

function entities({ kept }: Fake, method: string, path: string, body: FakeEntity): Answer {
  const [kind = '', uuid] = path.split('/');
  const all = Object.entries(kept).find(([name]) => name === kind)?.[1];
  if (all === undefined) return failed(404, `no kind ${kind}`);
  if (uuid === 'list') return fine({ entities: all });
  if (uuid === undefined) {
    const made = {
      ...body,
      status: statusOf(kind, body),
      metadata: { ...body.metadata, uuid: randomUUID() },
    };
    all.push(made);
    return task(made.metadata.uuid);
  }
  const index = all.findIndex(({ metadata }) => metadata.uuid === uuid);
  const found = all[index];
  if (found === undefined) return failed(404, 'The entity is not there');
  if (method === 'DELETE') all.splice(index, 1);
  return method === 'DELETE' ? task(uuid) : fine(found);
}

/** A machine that was made runs, and has an address. */
function statusOf(kind: string, { spec }: FakeEntity): object {
  const nics = [{ ip_endpoint_list: [{ ip: '127.0.0.1', type: 'ASSIGNED' }] }];
  const resources = kind === 'vms' ? { power_state: 'ON', nic_list: nics } : {};
  return { name: spec.name, state: 'COMPLETE', resources };
}
