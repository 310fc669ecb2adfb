import { readFile } from 'node:fs/promises';
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  addEvents,
  BARE_PAGE,
  dashboardSite,
  KEY,
  RUN,
  serveSite,
} from '../../../test/support/dashboard.ts';
import { tempDir } from '../../../test/support/temp.ts';
import { parseUpdateGraph } from '../../content/release/graph/schema.ts';
import { silentContext } from '../../core/context.ts';
import { registerSecret } from '../../core/redact.ts';
import { createRegistries } from '../../remote/create-registries.ts';
import { Composer } from '../compose/composer.ts';
import { createAccess, isFromPage, isLocalHost } from './access.ts';
import { serveDashboard } from './server.ts';

interface Answer {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** Not fetch: it does not let anybody choose the Host. With `until` it leaves once it has read that. */
function ask(
  port: number,
  path: string,
  headers: Readonly<Record<string, string>> = {},
  {
    method = 'GET',
    until,
    body,
  }: { readonly method?: string; readonly until?: string; readonly body?: string } = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const asked = httpRequest({ host: '127.0.0.1', port, path, headers, method, agent: false });
    asked.on('error', reject).on('response', (response) => {
      let text = '';
      const done = () => resolve({ status: response.statusCode, headers: response.headers, text });
      response.on('end', done).on('data', (chunk) => {
        text += chunk;
        if (until === undefined || !text.includes(until)) return;
        done();
        asked.destroy();
      });
    });
    asked.end(body);
  });
}

/** Opens the link and returns the cookie that it gave. */
async function enter({ port, url }: { readonly port: number; readonly url: string }) {
  const { headers } = await ask(port, new URL(url).pathname);
  return { cookie: headers['set-cookie']?.[0]?.split(';')[0] ?? '' };
}

const DIGEST = `sha256:${'a'.repeat(64)}`;

const note = (message: string) => ({ type: 'note.added', message }) as const;

describe('serveDashboard', () => {
  test('lets in who opened the link, once, and keeps it for that browser alone', async () => {
    const served = await serveSite(await dashboardSite());
    const link = new URL(served.url).pathname;
    expect(new URL(served.url).hostname).toBe('127.0.0.1');
    expect(await ask(served.port, '/')).toMatchObject({ status: 401 });

    const first = await ask(served.port, link);

    expect(first).toMatchObject({ status: 303, headers: { location: '/' } });
    expect(first.headers['set-cookie']?.[0]).toMatch(/; HttpOnly; SameSite=Strict;/);
    expect(await ask(served.port, link)).toMatchObject({ status: 401 });
    expect(await ask(served.port, '/open/made-up')).toMatchObject({ status: 401 });
    const cookie = first.headers['set-cookie']?.[0]?.split(';')[0] ?? '';
    expect(await ask(served.port, '/', { cookie })).toMatchObject({ status: 200 });
    expect(await ask(served.port, link, { cookie })).toMatchObject({ status: 303 });
    const forged = cookie.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'));
    expect(await ask(served.port, '/', { cookie: forged })).toMatchObject({ status: 401 });
  });

  test('answers names of this machine alone, at any port, as behind ssh -L', async () => {
    const served = await serveSite(await dashboardSite());
    const own = await enter(served);

    for (const host of ['localhost:9', '127.0.0.1:1234', '[::1]:80', 'LOCALHOST'])
      expect(await ask(served.port, '/', { ...own, host }), host).toMatchObject({ status: 200 });
    for (const host of ['evil.example', 'localhost.evil.example', '127.0.0.1.nip.io'])
      expect(await ask(served.port, '/', { ...own, host }), host).toMatchObject({ status: 421 });
  });

  test('is only to be looked at, in no frame, with no script but its own', async () => {
    const served = await serveSite(await dashboardSite());
    const own = await enter(served);
    for (const method of ['POST', 'PUT', 'DELETE'])
      expect(await ask(served.port, '/', own, { method })).toMatchObject({ status: 405 });

    const { headers } = await ask(served.port, '/', own);

    expect(headers).toMatchObject({
      'x-frame-options': 'DENY',
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'same-origin',
      'cache-control': 'no-store',
    });
    const policy = String(headers['content-security-policy']);
    expect(policy).toMatch(
      /^default-src 'none'; script-src 'sha256-[^']+'; style-src 'sha256-[^']+'/,
    );
    expect(policy).not.toMatch(/unsafe|\*|https?:/);
  });

  test('puts data into the page as data, and without secrets', async () => {
    const site = await dashboardSite();
    registerSecret('a-word-nobody-may-see');
    await addEvents(site, [
      { type: 'run.started', run: RUN, site: 'north' },
      note('</script><script>alert(1)</script> a-word-nobody-may-see'),
    ]);
    const served = await serveSite(site);

    const { text } = await ask(served.port, '/', await enter(served));

    expect(text.match(/<script/g)).toHaveLength(2);
    expect(text).toContain('\\u003c/script>');
    expect(text).not.toContain('a-word-nobody-may-see');
  });

  test('sends what a page has missed, also after a restart with another process', async () => {
    const site = await dashboardSite();
    await addEvents(site, [{ type: 'run.started', run: RUN }, note('one'), note('two')]);
    const before = await serveSite(site);
    const own = await enter(before);
    await before.close();
    const after = await serveSite(site);

    const missed = await ask(
      after.port,
      '/events',
      { ...own, 'last-event-id': `${RUN}/2` },
      { until: 'event: section' },
    );

    expect(missed.headers['content-type']).toMatch(/^text\/event-stream/);
    expect(missed.text).toContain(`id: ${RUN}/3\n`);
    expect(missed.text).not.toContain(`id: ${RUN}/2\n`);
    expect(missed.text).not.toContain('event: run\n');
    const fresh = await ask(after.port, '/events', own, { until: 'event: section' });
    expect(fresh.text).toContain('event: run\n');
  });

  test('sends events as they are written, and the next run when it begins', async () => {
    const site = await dashboardSite();
    await addEvents(site, [{ type: 'run.started', run: RUN }]);
    const served = await serveSite(site);
    const own = await enter(served);
    const stream = ask(served.port, `/events?after=${RUN}/1`, own, { until: 'later run' });

    await addEvents(site, [note('said now')]);
    await expect.poll(() => served.watch.page.run?.seq).toBe(2);
    await addEvents(site, [note('of the later run')], '20260101T000001Z');

    const { text } = await stream;
    expect(text).toContain('said now');
    expect(text).toContain('id: 20260101T000001Z/1');
  });

  test('shows an earlier run, and nothing outside the folder of runs', async () => {
    const site = await dashboardSite();
    await addEvents(site, [{ type: 'run.started', run: RUN }]);
    const served = await serveSite(site);
    const own = await enter(served);

    expect(JSON.parse((await ask(served.port, `/runs/${RUN}`, own)).text)).toMatchObject({
      run: RUN,
    });
    expect(await ask(served.port, '/runs/20990101T000000Z', own)).toMatchObject({ status: 404 });
    expect(await ask(served.port, '/runs/..%2f..', own)).toMatchObject({ status: 404 });
    expect(await ask(served.port, `/runs/${RUN}`)).toMatchObject({ status: 401 });
  });

  test('knows a run whose process was killed', async () => {
    const site = await dashboardSite();
    await addEvents(site, [
      { type: 'run.started', run: RUN },
      { type: 'step.started', step: 'images', title: 'Images' },
    ]);

    const served = await serveSite(site);

    expect(served.watch.page.run).toMatchObject({ outcome: 'interrupted' });
  });
});

test('createAccess ends a session after half a day', () => {
  let now = new Date('2026-01-01T00:00:00Z');
  const access = createAccess(KEY, () => now);
  const cookie = access.redeem(access.newToken())?.split(';')[0];
  expect(access.isKnown({ cookie })).toBe(true);

  now = new Date('2026-01-01T12:00:01Z');

  expect(access.isKnown({ cookie })).toBe(false);
  expect(createAccess(Buffer.alloc(32), () => now).isKnown({ cookie })).toBe(false);
});

test('isFromPage wants the origin of the page itself', () => {
  const host = 'localhost:7410';
  expect(isFromPage({ host, origin: 'http://localhost:7410' })).toBe(true);
  expect(isFromPage({ host, origin: 'http://localhost:9999' })).toBe(false);
  expect(isFromPage({ host })).toBe(false);
  const crossed = { 'sec-fetch-site': 'cross-site', origin: 'http://localhost:7410', host };
  expect(isFromPage(crossed)).toBe(false);
  expect(isLocalHost(undefined)).toBe(false);
});

describe('the composer', () => {
  const nodes = ['4.18.2', '4.18.1'].map((version) => ({
    version,
    payload: `quay.io/r@${DIGEST}`,
  }));
  const graph = {
    graph: async () => parseUpdateGraph(JSON.stringify({ nodes, edges: [] }), 'of a test'),
  };
  const choice = { channels: [], operators: [], additionalImages: ['quay.io/a/b:1'], graph: false };

  async function compose() {
    const file = join(await tempDir(), 'imageset.yaml');
    const registries = createRegistries({ env: {} });
    const composer = new Composer({ registries, graph, file });
    const ctx = silentContext();
    const served = await serveDashboard(ctx, { composer, port: 0, key: KEY, page: BARE_PAGE });
    onTestFinished(async () => {
      await served.close();
      await registries.close();
    });
    const own = { ...(await enter(served)), host: `127.0.0.1:${served.port}` };
    const page = { ...own, origin: `http://127.0.0.1:${served.port}` };
    const post = (work: string, body: unknown, headers: Readonly<Record<string, string>> = page) =>
      ask(served.port, `/compose/${work}`, headers, {
        method: 'POST',
        body: JSON.stringify(body),
      });
    return { file, own, post };
  }

  test('writes its own file, for its own page alone', async () => {
    const { file, own, post } = await compose();
    const elsewhere = { ...own, origin: 'http://evil.example' };
    expect(await post('save', choice, elsewhere)).toMatchObject({ status: 403 });
    expect(await post('save', choice, own)).toMatchObject({ status: 403 });
    expect(await post('remove', choice)).toMatchObject({ status: 405 });

    expect(await post('save', { ...choice, file: '/etc/passwd' })).toMatchObject({ status: 422 });
    expect(JSON.parse((await post('save', choice)).text)).toEqual({ file });

    expect(await readFile(file, 'utf8')).toContain('name: quay.io/a/b:1');
  });

  test('offers releases lowest first, and says what is wrong with a choice', async () => {
    const { post } = await compose();
    const channel = { name: 'stable-4.18', minVersion: '4.18.1', shortestPath: false };

    const offered = JSON.parse((await post('channel', { name: 'stable-4.18' })).text);
    const path = JSON.parse((await post('path', channel)).text);
    const wrong = await post('text', { ...choice, additionalImages: ['not an image'] });

    expect(offered).toEqual({ versions: ['4.18.1', '4.18.2'] });
    expect(path).toMatchObject({ releases: ['4.18.1', '4.18.2'] });
    expect(JSON.parse(wrong.text).problems.join()).toContain('not an image');
    expect(await post('packages', { name: '' })).toMatchObject({ status: 422 });
  });
});
