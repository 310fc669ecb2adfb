import { writeFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { tempDir } from '../../test/support/temp.ts';
import { recordingContext } from '../core/context.ts';
import { createWeb } from './web.ts';

async function serving(listener: RequestListener) {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const web = createWeb({ env: {} });
  onTestFinished(() => {
    web.close();
    server.close();
  });
  return { web, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

describe('createWeb', () => {
  test('gets a document, and undefined for one that is not there', async () => {
    const { web, url } = await serving((request, response) => {
      response.statusCode = request.url === '/there' ? 200 : 404;
      response.end(request.headers.accept);
    });
    const ctx = recordingContext();

    const found = await web.get(ctx, `${url}/there`, { accept: 'application/json' });

    expect(String(found)).toBe('application/json');
    expect(await web.get(ctx, `${url}/other`)).toBeUndefined();
  });

  test('tries again when the server is busy, and only then', async () => {
    let asked = 0;
    const { web, url } = await serving((request, response) => {
      asked += 1;
      response.statusCode = request.url?.startsWith('/no') ? 403 : asked === 1 ? 503 : 200;
      response.end('ok');
    });
    const ctx = recordingContext();

    expect(String(await web.get(ctx, `${url}/yes`))).toBe('ok');
    expect(ctx.events).toMatchObject([{ type: 'attempt.failed', code: 'REGISTRY_UNAVAILABLE' }]);
    await expect(web.get(ctx, `${url}/no?token=abc`)).rejects.toMatchObject({
      code: 'REGISTRY_DENIED',
      message: `Cannot fetch ${url}/no: 403 Forbidden`,
    });
    expect(asked).toBe(3);
  });

  test('refuses a document that is too long, and redirects without end', async () => {
    const { web, url } = await serving((request, response) => {
      if (request.url === '/long') response.end('x'.repeat(2000));
      else response.writeHead(302, { location: '/again' }).end();
    });
    const ctx = recordingContext();

    await expect(web.get(ctx, `${url}/long`, { maxBytes: 1999 })).rejects.toThrow('is longer than');
    await expect(web.get(ctx, `${url}/again`)).rejects.toThrow('redirects for ever');
  });

  test('reads file URLs, and refuses what is no URL', async () => {
    const path = join(await tempDir(), 'a b');
    await writeFile(path, 'text');
    const web = createWeb();
    const ctx = recordingContext();

    expect(String(await web.get(ctx, `file://${path}`))).toBe('text');
    expect(await web.get(ctx, `file://${path}/x`)).toBeUndefined();
    await expect(web.get(ctx, `file://${path}`, { maxBytes: 3 })).rejects.toThrow('longer');
    for (const url of ['ftp://x/y', 'nothing']) {
      await expect(web.get(ctx, url)).rejects.toMatchObject({
        code: 'INPUT_INVALID',
      });
    }
  });
});
