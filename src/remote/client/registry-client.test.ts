import { type AddressInfo, createServer } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { freePort } from '../../../test/support/docker-registry.ts';
import { openRegistries, openRepository } from '../../../test/support/remote.ts';
import {
  error,
  type Mischief,
  startScriptedRegistry,
} from '../../../test/support/scripted-registry.ts';
import { recordingContext, silentContext } from '../../core/context.ts';
import { MEDIA_TYPES } from '../../oci/media-types.ts';

const ctx = silentContext();
const TEXT = JSON.stringify({ schemaVersion: 2, manifests: [] });

async function answering(mischief: Mischief) {
  return startScriptedRegistry((request) => (request.path === '/v2/' ? undefined : mischief));
}

describe('errors of a registry', () => {
  test.each([
    ['an expired token', 401, error('UNAUTHORIZED', 'token has expired'), 'TOKEN_EXPIRED'],
    ['a refusal', 403, error('DENIED'), 'REGISTRY_DENIED'],
    ['a full disk', 507, '', 'REGISTRY_QUOTA'],
    ['a quota', 403, error('DENIED', 'quota exceeded for project'), 'REGISTRY_QUOTA'],
    [
      'a full disk behind a 500',
      500,
      error('UNKNOWN', 'no space left on device'),
      'REGISTRY_QUOTA',
    ],
    [
      'a policy',
      412,
      error('PROJECTPOLICYVIOLATION', 'blocked by vulnerability policy'),
      'REGISTRY_POLICY',
    ],
    ['too many requests', 429, error('TOOMANYREQUESTS'), 'REGISTRY_THROTTLED'],
    ['a breakdown', 500, 'oops', 'REGISTRY_UNAVAILABLE'],
    ['nonsense', 418, '', 'REGISTRY_REFUSED'],
  ])('name %s', async (_name, status, body, code) => {
    const registry = await answering({ status, body, headers: { 'retry-after': '0' } });

    const reading = openRepository(registry.host).resolve(ctx, 'v1');

    await expect(reading).rejects.toMatchObject({
      code,
      details: { registry: registry.host, repository: 'team/app', status },
      message: expect.stringContaining(`${registry.host}/team/app:v1`),
    });
  });

  test.each([
    ['a web page', { status: 200, headers: { 'content-type': 'text/html' }, body: '<html>' }],
    ['no such path', { status: 404, headers: { 'content-type': 'text/html' }, body: '<html>' }],
  ] satisfies [string, Mischief][])('name a host that answers %s at /v2/', async (_name, reply) => {
    const registry = await startScriptedRegistry(() => reply);

    await expect(openRepository(registry.host).resolve(ctx, 'v1')).rejects.toMatchObject({
      code: 'NOT_A_REGISTRY',
      message: expect.stringContaining(registry.host),
    });
  });

  test('hide what looks like a secret in the words of the registry', async () => {
    const body = error('DENIED', 'bad header: Bearer Abcdefgh12345678');
    const registry = await answering({ status: 403, body });

    await expect(openRepository(registry.host).resolve(ctx, 'v1')).rejects.toMatchObject({
      message: expect.not.stringContaining('Abcdefgh12345678'),
    });
  });
});

describe('errors on the way', () => {
  test('name plain HTTP where TLS is expected', async () => {
    const registry = await startScriptedRegistry();
    const repository = openRepository(registry.host, 'team/app', { insecure: false });

    await expect(repository.resolve(ctx, 'v1')).rejects.toMatchObject({
      code: 'TLS_NOT_SPOKEN',
      hint: expect.stringContaining('--insecure'),
    });
    expect(registry.seen).toEqual([]);
  });

  test('name a host nobody listens on', async () => {
    const host = `127.0.0.1:${await freePort()}`;

    await expect(openRepository(host).resolve(ctx, 'v1')).rejects.toMatchObject({
      code: 'REGISTRY_UNAVAILABLE',
      message: `Cannot read ${host}/team/app:v1: cannot reach ${host}: connect ECONNREFUSED ${host}`,
      details: { registry: host, repository: 'team/app', reference: 'v1' },
    });
  });

  test.each(['10.0.0.256:5000', '[::g]:5000', 'host.1'])(
    'name %s, which is no host',
    async (host) => {
      await expect(openRepository(host).resolve(ctx, 'v1')).rejects.toMatchObject({
        code: 'REFERENCE_INVALID',
        message: expect.stringContaining(`${host} as a registry: it is neither`),
      });
    },
  );

  test('name a host that does not exist', async () => {
    await expect(openRepository('registry.invalid').resolve(ctx, 'v1')).rejects.toMatchObject({
      code: 'NAME_UNRESOLVED',
    });
  });

  test('end a connection that is accepted and never spoken on', async () => {
    const server = createServer(() => undefined);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as { port: number };
    const tuning = {
      connectTimeoutMs: 80,
      answerTimeoutMs: 80,
      stallTimeoutMs: 80,
      retry: { attempts: 1 },
    };

    const reading = openRepository(`127.0.0.1:${port}`, 'team/app', { tuning }).resolve(ctx, 'v1');

    await expect(reading).rejects.toMatchObject({ code: 'REGISTRY_UNAVAILABLE' });
  });

  test('are not made up when the caller stops', async () => {
    const registry = await startScriptedRegistry(() => new Promise<never>(() => undefined));
    const controller = new AbortController();
    const stopped = new Error('stopped by the user');

    const context = silentContext({ signal: controller.signal });
    const reading = openRepository(registry.host).resolve(context, 'v1');
    setTimeout(() => controller.abort(stopped), 20);

    await expect(reading).rejects.toBe(stopped);
  });

  test('are retried on a fresh connection when a kept one died', async () => {
    let cut = false;
    const registry = await startScriptedRegistry((request) => {
      if (request.path === '/v2/' || cut) return undefined;
      cut = true;
      return { cut: 'at once' };
    });
    registry.memory.addManifest('team/app', 'v1', MEDIA_TYPES.ociIndex, TEXT);
    const context = recordingContext();

    expect(await openRepository(registry.host).resolve(context, 'v1')).toBeDefined();
    expect(context.events).toEqual([]);
  });
});

describe('redirects', () => {
  test('in a loop end in a named error', async () => {
    const registry = await startScriptedRegistry((request) =>
      request.path === '/v2/'
        ? undefined
        : { status: 307, headers: { location: request.path.endsWith('a') ? './b' : './a' } },
    );

    await expect(openRepository(registry.host).resolve(ctx, 'v1')).rejects.toMatchObject({
      code: 'REGISTRY_REFUSED',
      message: expect.stringContaining('loop'),
    });
  });

  test('without end stop after ten', async () => {
    const registry = await startScriptedRegistry((request, count) =>
      request.path === '/v2/'
        ? undefined
        : { status: 302, headers: { location: `/v2/x/${count}` } },
    );

    await expect(openRepository(registry.host).resolve(ctx, 'v1')).rejects.toMatchObject({
      message: expect.stringContaining('more than 10 times'),
    });
    expect(registry.seen.length).toBeLessThan(15);
  });
});

describe('a registry that says 429', () => {
  test('is waited for, halves its own limit and leaves others alone', async () => {
    let throttles = 1;
    const busy = await startScriptedRegistry((request) => {
      if (request.path === '/v2/' || throttles === 0) return undefined;
      throttles -= 1;
      return { status: 429, headers: { 'retry-after': '3600' }, body: error('TOOMANYREQUESTS') };
    });
    busy.memory.addManifest('team/app', 'v1', MEDIA_TYPES.ociIndex, TEXT);
    const registries = openRegistries({ tuning: { maxRequests: 8 } });
    const limits: number[] = [];
    registries.limiter(busy.host).onChange((limit) => limits.push(limit));

    const found = await registries.repository(busy.host, 'team/app').resolve(ctx, 'v1');

    expect(found).toBeDefined();
    expect(limits).toEqual([4]);
    expect(registries.limiter('other.example.com').limit).toBe(8);
  });

  test('tells its warnings once', async () => {
    const registry = await startScriptedRegistry((request) => {
      const headers = { warning: '299 - "this tag goes away"' };
      return request.path === '/v2/' ? undefined : { status: 404, headers };
    });
    const context = recordingContext();
    const repository = openRepository(registry.host);

    await repository.resolve(context, 'v1');
    await repository.resolve(context, 'v1');

    expect(context.events).toEqual([
      { type: 'warning.raised', message: 'this tag goes away', subject: registry.host },
    ]);
  });
});

test('a registry that is not there is tried for the first image, not for each', async () => {
  let tries = 0;
  const nobody = createServer((socket) => {
    tries += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => nobody.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void nobody.close());
  const { port } = nobody.address() as AddressInfo;
  const registries = openRegistries({ insecure: false });
  const find = (repository: string) =>
    registries.repository(`127.0.0.1:${port}`, repository).resolve(ctx, 'v1');

  await expect(find('one')).rejects.toMatchObject({ code: 'REGISTRY_UNAVAILABLE' });
  const forTheFirst = tries;
  await expect(find('two')).rejects.toMatchObject({
    code: 'REGISTRY_UNAVAILABLE',
    message: expect.stringContaining('two'),
  });

  expect(forTheFirst).toBeGreaterThan(1);
  expect(tries).toBe(forTheFirst);
});
