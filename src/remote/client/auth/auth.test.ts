import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { makeBlob, openRegistries, openRepository } from '../../../../test/support/remote.ts';
import {
  error,
  type Mischief,
  type SeenRequest,
  startScriptedRegistry,
} from '../../../../test/support/scripted-registry.ts';
import { tempDir } from '../../../../test/support/temp.ts';
import { silentContext } from '../../../core/context.ts';
import { bulkSourceOf } from '../../../oci/bulk.ts';

const ctx = silentContext();
const MANIFEST = JSON.stringify({ schemaVersion: 2, manifests: [] });
const INDEX = 'application/vnd.oci.image.index.v1+json';

async function authfile(host: string, entry: object): Promise<string> {
  const path = join(await tempDir(), 'auth.json');
  await writeFile(path, JSON.stringify({ auths: { [host]: entry } }));
  return path;
}

const BASIC = { auth: Buffer.from('ann:secret-1').toString('base64') };

interface TokenServer {
  /** Answers /token; `count` from 1. */
  readonly token?: (request: SeenRequest, count: number) => Mischief | undefined;
  /** Which bearer tokens are taken for a request. */
  readonly accepts?: (token: string, request: SeenRequest) => boolean;
  readonly challenge?: (host: string) => string;
}

/** A registry that wants a bearer token from its own `/token`. */
async function guarded(options: TokenServer = {}) {
  let tokens = 0;
  const accepts = options.accepts ?? ((token) => token.startsWith('t'));
  const registry = await startScriptedRegistry((request) => {
    if (request.path === '/token') {
      tokens += 1;
      const token = { token: `t${tokens}`, expires_in: 300 };
      return options.token?.(request, tokens) ?? { status: 200, body: JSON.stringify(token) };
    }
    const token = /^Bearer (.*)$/.exec(request.headers.authorization ?? '')?.[1] ?? '';
    if (accepts(token, request)) return undefined;
    const challenge =
      options.challenge?.(registry.host) ??
      `Bearer realm="http://${registry.host}/token",service="reg"`;
    return {
      status: 401,
      headers: { 'www-authenticate': challenge },
      body: error('UNAUTHORIZED', 'authentication required'),
    };
  });
  registry.memory.addManifest('team/app', 'v1', INDEX, MANIFEST);
  const asked = () => registry.seen.filter((one) => one.path === '/token');
  return { registry, asked };
}

describe('bearer tokens', () => {
  test('are fetched once per scope and used for all requests', async () => {
    const { registry, asked } = await guarded();
    const repository = openRepository(registry.host);

    await Promise.all([repository.resolve(ctx, 'v1'), repository.resolve(ctx, 'v1')]);
    await repository.resolve(ctx, 'v1');

    expect(asked().map((one) => one.url)).toEqual([
      '/token?service=reg&scope=repository%3Ateam%2Fapp%3Apull',
    ]);
    expect(asked()[0]?.headers.authorization).toBeUndefined();
  });

  test('are asked for with the credentials of the auth file', async () => {
    const { registry, asked } = await guarded();
    const path = await authfile(registry.host, BASIC);

    await openRepository(registry.host, 'team/app', { authfile: path }).resolve(ctx, 'v1');

    expect(asked()[0]?.headers.authorization).toBe(`Basic ${BASIC.auth}`);
    expect(asked()[0]?.query.get('account')).toBe('ann');
    const others = registry.seen.filter((one) => one.path !== '/token');
    expect(others.every((one) => !one.headers.authorization?.startsWith('Basic'))).toBe(true);
  });

  test('cover both repositories of a mount', async () => {
    const { registry, asked } = await guarded();
    const { bytes, blob } = makeBlob(10);
    registry.memory.addBlob('other/app', bytes);

    await openRepository(registry.host).mount(ctx, blob, 'other/app');

    expect(asked()[0]?.query.getAll('scope')).toEqual([
      'repository:other/app:pull',
      'repository:team/app:pull,push',
    ]);
  });

  test('are renewed when they expire in the middle of an upload', async () => {
    let spoiled = false;
    const { registry, asked } = await guarded({
      accepts: (token, request) => {
        if (request.method === 'PUT' && !spoiled) {
          spoiled = true;
          return false;
        }
        return spoiled ? token === 't2' : token === 't1';
      },
    });
    const { bytes, blob } = makeBlob(200_000);
    const source = bulkSourceOf({
      async *blob(_ctx, _blob, at = 0) {
        yield bytes.subarray(at);
      },
    });

    await openRepository(registry.host).putBlobFrom(ctx, blob, source);

    expect(registry.memory.blobs.has(`team/app@${blob.digest}`)).toBe(true);
    expect(asked()).toHaveLength(2);
  });

  test('are renewed by time before the registry refuses them', async () => {
    let now = new Date('2030-01-01T00:00:00Z');
    const clock = silentContext({ now: () => now });
    const { registry, asked } = await guarded();
    const repository = openRepository(registry.host);

    await repository.resolve(clock, 'v1');
    now = new Date('2030-01-01T00:04:40Z');
    await repository.resolve(clock, 'v1');
    now = new Date('2030-01-01T00:04:55Z');
    await repository.resolve(clock, 'v1');

    expect(asked()).toHaveLength(2);
  });

  test('are widened once when the registry asks for more scope', async () => {
    const { registry, asked } = await guarded({
      accepts: (token) => token === 't2',
      challenge: (host) =>
        `Bearer realm="http://${host}/token",service="reg",scope="repository:team/app:pull repository:base/app:pull",error="insufficient_scope"`,
    });

    await openRepository(registry.host).resolve(ctx, 'v1');

    expect(asked().at(-1)?.query.getAll('scope')).toContain('repository:base/app:pull');
  });

  test('that never please end in a named error after one more try', async () => {
    const { registry, asked } = await guarded({ accepts: () => false });

    await expect(openRepository(registry.host).resolve(ctx, 'v1')).rejects.toMatchObject({
      code: 'REGISTRY_DENIED',
      message: expect.stringContaining('UNAUTHORIZED: authentication required'),
      hint: expect.stringContaining('--authfile'),
    });
    expect(asked().length).toBeLessThanOrEqual(4);
  });

  test('that the server will not give say so in its words', async () => {
    const { registry } = await guarded({
      token: () => ({ status: 401, body: JSON.stringify({ details: 'incorrect username' }) }),
    });
    const path = await authfile(registry.host, BASIC);

    const reading = openRepository(registry.host, 'team/app', { authfile: path }).resolve(
      ctx,
      'v1',
    );

    await expect(reading).rejects.toMatchObject({
      code: 'REGISTRY_DENIED',
      message: expect.stringContaining('incorrect username'),
      hint: expect.stringContaining('log in again'),
    });
  });

  test('come by OAuth2 for an identity token, with the secret in the body', async () => {
    const { registry, asked } = await guarded({
      token: () => ({ status: 200, body: JSON.stringify({ access_token: 't9' }) }),
    });
    const path = await authfile(registry.host, { ...BASIC, identitytoken: 'refresh-me-1' });

    await openRepository(registry.host, 'team/app', { authfile: path }).resolve(ctx, 'v1');

    expect(asked().map((one) => `${one.method} ${one.url}`)).toEqual(['POST /token']);
  });

  test('come from where the token server sends us; the password stays at its own origin', async () => {
    const elsewhere = await startScriptedRegistry(() => ({ status: 200, body: '{"token":"t9"}' }));
    const { registry, asked } = await guarded({
      token: ({ url }, count) => ({
        status: 302,
        headers: { location: count === 1 ? `${url}&again` : `http://${elsewhere.host}${url}` },
      }),
    });
    const path = await authfile(registry.host, BASIC);

    await openRepository(registry.host, 'team/app', { authfile: path }).resolve(ctx, 'v1');

    expect(asked().map((one) => one.headers.authorization)).toEqual([
      `Basic ${BASIC.auth}`,
      `Basic ${BASIC.auth}`,
    ]);
    expect(elsewhere.seen.map((one) => one.headers.authorization)).toEqual([undefined]);
  });

  test('are not asked for with an identity token where the token server sends us', async () => {
    const elsewhere = await startScriptedRegistry();
    const { registry } = await guarded({
      token: ({ url }) => ({
        status: 307,
        headers: { location: `http://${elsewhere.host}${url}` },
      }),
    });
    const path = await authfile(registry.host, { identitytoken: 'refresh-me-4' });
    const repository = openRepository(registry.host, 'team/app', { authfile: path });

    await expect(repository.resolve(ctx, 'v1')).rejects.toMatchObject({ code: 'REGISTRY_DENIED' });
    expect(elsewhere.seen).toEqual([]);
  });

  test('come by GET where OAuth2 is not known', async () => {
    const { registry, asked } = await guarded({
      token: (request) => (request.method === 'POST' ? { status: 404 } : undefined),
    });
    const path = await authfile(registry.host, { identitytoken: 'refresh-me-2' });

    await openRepository(registry.host, 'team/app', { authfile: path }).resolve(ctx, 'v1');

    expect(asked().map((one) => one.method)).toEqual(['POST', 'GET']);
  });
});

describe('basic credentials', () => {
  const wantsBasic = (request: SeenRequest): Mischief | undefined =>
    request.headers.authorization === `Basic ${BASIC.auth}`
      ? undefined
      : {
          status: 401,
          headers: { 'www-authenticate': 'Basic realm="x"' },
          body: error('UNAUTHORIZED'),
        };

  test('are shown where the registry asks for them', async () => {
    const registry = await startScriptedRegistry(wantsBasic);
    registry.memory.addManifest('team/app', 'v1', INDEX, MANIFEST);
    const path = await authfile(registry.host, BASIC);

    const repository = openRepository(registry.host, 'team/app', { authfile: path });

    expect(await repository.resolve(ctx, 'v1')).toBeDefined();
  });

  test('are the password, not the identity token beside it', async () => {
    const registry = await startScriptedRegistry(wantsBasic);
    registry.memory.addManifest('team/app', 'v1', INDEX, MANIFEST);
    const path = await authfile(registry.host, { ...BASIC, identitytoken: 'refresh-me-3' });

    const repository = openRepository(registry.host, 'team/app', { authfile: path });

    expect(await repository.resolve(ctx, 'v1')).toBeDefined();
  });

  test('that are missing end in a hint to log in', async () => {
    const registry = await startScriptedRegistry(wantsBasic);

    await expect(openRepository(registry.host).resolve(ctx, 'v1')).rejects.toMatchObject({
      code: 'REGISTRY_DENIED',
      hint: expect.stringContaining('Log in'),
    });
  });

  test('never travel to another host by redirect', async () => {
    const storage = await startScriptedRegistry();
    const { bytes, blob } = makeBlob(100);
    storage.memory.addBlob('team/app', bytes);
    const registry = await startScriptedRegistry((request) => {
      const refused = wantsBasic(request);
      if (refused || !request.path.includes('/blobs/')) return refused;
      return { status: 307, headers: { location: `http://${storage.host}${request.url}` } };
    });
    const path = await authfile(registry.host, BASIC);
    const registries = openRegistries({ authfile: path });

    const download = await registries.repository(registry.host, 'team/app').openBlob(ctx, blob);
    await download.pump(ctx, () => undefined);

    expect(storage.seen).toHaveLength(1);
    expect(storage.seen[0]?.headers.authorization).toBeUndefined();
  });
});
