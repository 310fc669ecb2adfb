import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { type Context, recordingContext } from '../../core/context.ts';
import { ApiClient } from './client.ts';
import { KINDS } from './kinds.ts';
import { Resources } from './resources.ts';
import { type Change, watch } from './watch.ts';

type Answer = (response: ServerResponse, url: URL) => void;

const node = (name: string, resourceVersion: string) => ({ metadata: { name, resourceVersion } });
const list =
  (resourceVersion: string, ...items: readonly object[]): Answer =>
  (response) =>
    response.end(JSON.stringify({ metadata: { resourceVersion }, items }));
const line = (type: string, object: object) => `${JSON.stringify({ type, object })}\n`;

/** An API that answers lists and watches of nodes one after the other, as told. */
async function scripted(answers: readonly Answer[]) {
  const asked: string[] = [];
  const left = [...answers];
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '', 'http://api');
    if (url.pathname === '/api/v1') {
      const resources = [{ name: 'nodes', kind: 'Node', namespaced: false }];
      response.end(JSON.stringify({ resources }));
      return;
    }
    const isWatch = url.searchParams.get('watch') === 'true';
    asked.push(isWatch ? `watch ${url.searchParams.get('resourceVersion')}` : 'list');
    left.shift()?.(response, url);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const client = new ApiClient(
    {
      file: 'kubeconfig',
      context: 'test',
      server: new URL(`http://127.0.0.1:${port}`),
      ca: undefined,
      verify: true,
      serverName: undefined,
      proxy: undefined,
      token: undefined,
      client: undefined,
    },
    { env: {}, retry: { attempts: 1 } },
  );
  onTestFinished(() => {
    client.close();
    server.closeAllConnections();
    server.close();
  });
  return { resources: new Resources(client), asked };
}

const told = ({ type, object }: Change) => `${type} ${object.metadata.name}`;

async function take(ctx: Context, resources: Resources, count: number): Promise<string[]> {
  const changes: string[] = [];
  for await (const change of watch(ctx, resources, KINDS.node, { retryMs: 1 })) {
    changes.push(told(change));
    if (changes.length === count) break;
  }
  return changes;
}

test('watch tells what is there, then what changes', async () => {
  const { resources, asked } = await scripted([
    list('5', node('a', '1')),
    (response) => {
      response.write(line('ADDED', node('b', '6')));
      response.write(line('MODIFIED', node('a', '7')));
      response.end(line('DELETED', node('b', '8')));
    },
  ]);

  const changes = await take(recordingContext(), resources, 4);

  expect(changes).toEqual(['added a', 'added b', 'modified a', 'deleted b']);
  expect(asked).toEqual(['list', 'watch 5']);
});

test('watch goes on from the last version it saw, bookmarks included', async () => {
  const { resources, asked } = await scripted([
    list('5'),
    (response) => response.end(line('ADDED', node('a', '6'))),
    (response) => response.end(line('BOOKMARK', node('', '9'))),
    (response) => response.end(line('ADDED', node('b', '10'))),
  ]);

  const changes = await take(recordingContext(), resources, 2);

  expect(changes).toEqual(['added a', 'added b']);
  expect(asked).toEqual(['list', 'watch 5', 'watch 6', 'watch 9']);
});

test('watch lists again when its version is forgotten, and tells the difference', async () => {
  const gone: Answer = (response) =>
    response.end(line('ERROR', { kind: 'Status', code: 410, message: 'too old' }));
  const { resources, asked } = await scripted([
    list('5', node('a', '1'), node('b', '2'), node('c', '3')),
    gone,
    list('20', node('a', '1'), node('c', '15')),
    (response) => response.end(line('ADDED', node('d', '21'))),
  ]);

  const changes = await take(recordingContext(), resources, 6);

  expect(changes.slice(3)).toEqual(['deleted b', 'modified c', 'added d']);
  expect(asked).toEqual(['list', 'watch 5', 'list', 'watch 20']);
});

test('watch takes a cut in the middle of a line for a cut, and loses nothing', async () => {
  const ctx = recordingContext();
  const { resources, asked } = await scripted([
    list('5'),
    (response) => {
      response.write(line('ADDED', node('a', '6')) + line('ADDED', node('b', '7')).slice(0, 9));
      setImmediate(() => response.destroy());
    },
    (response) => response.end(line('ADDED', node('b', '7'))),
  ]);

  const changes = await take(ctx, resources, 2);

  expect(changes).toEqual(['added a', 'added b']);
  expect(asked).toEqual(['list', 'watch 5', 'watch 6']);
  expect(ctx.events).toMatchObject([{ type: 'attempt.failed', code: 'CLUSTER_UNAVAILABLE' }]);
});

test('watch waits while the API is away, and ends where it may not look', async () => {
  const ctx = recordingContext();
  const status =
    (code: number): Answer =>
    (response) => {
      response.statusCode = code;
      response.end(JSON.stringify({ kind: 'Status', message: 'no' }));
    };
  const { resources } = await scripted([status(503), list('5'), status(403)]);

  await expect(take(ctx, resources, 1)).rejects.toMatchObject({ code: 'CLUSTER_DENIED' });

  expect(ctx.events).toMatchObject([{ type: 'attempt.failed' }]);
});
