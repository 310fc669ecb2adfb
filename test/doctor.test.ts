import { mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { silentContext } from '../src/core/context.ts';
import type { PreflightCheck } from '../src/platform/platform.ts';
import { createCa, createServerCertificate } from '../src/registry/tls/certificates.ts';
import { examineSite } from '../src/site/doctor/doctor.ts';
import { sitePaths } from '../src/site/site-paths.ts';
import { siteStatus } from '../src/site/status.ts';
import { bastionSite } from './support/bastion-site.ts';
import { freePort } from './support/docker-registry.ts';
import { describeWithPeers } from './support/peers.ts';
import { LOGIN, startMirror, type TestMirror } from './support/rehearsal.ts';
import { openSiteFile, openTestSite } from './support/site.ts';
import { startSshd } from './support/sshd.ts';

const ctx = silentContext();
const DAY_MS = 86_400_000;
const TERABYTE = 1024 ** 4;

const about = (checks: readonly PreflightCheck[], subject: string) =>
  checks.find((check) => check.subject.startsWith(subject));

const login = (password: string) => ({
  auth: Buffer.from(`${LOGIN.username}:${password}`).toString('base64'),
});

describe('doctor', () => {
  let registry: TestMirror;
  beforeAll(async () => {
    registry = await startMirror(undefined, { names: ['localhost'] });
  });
  afterAll(() => registry?.stop());

  const looked = async (
    change: Readonly<Record<string, object>>,
    files: Readonly<Record<string, string>> = {},
  ) => {
    const { work } = await openTestSite(change, { 'ca.pem': registry.ca, ...files });
    return await examineSite(ctx, work, { sources: false });
  };
  const secret = (password: string) => ({
    'pull-secret.json': JSON.stringify({
      auths: { [`localhost:${registry.port}`]: login(password), 'cloud.openshift.com': {} },
    }),
  });
  const existing = (more: object = {}) => ({
    registry: { type: 'existing', host: 'localhost', port: registry.port, ...more },
  });

  test('tries each login of the pull secret, but those of no registry', async () => {
    const trusting = { mirror: { ca: 'ca.pem' }, registry: { port: await freePort() } };
    const subject = `login localhost:${registry.port}`;

    const good = await looked(trusting, secret(LOGIN.password));
    const bad = await looked(trusting, secret('another'));

    expect(about(good, subject)).toMatchObject({ severity: 'ok' });
    expect(about(bad, subject)).toMatchObject({
      severity: 'warning',
      message: expect.stringContaining('the password is wrong'),
    });
    expect(about(good, 'login cloud.openshift.com')).toBeUndefined();
  });

  test('trusts a mirror only by the CA that nodes will have', async () => {
    const subject = `mirror localhost:${registry.port}`;

    const good = await looked(existing({ ca: 'ca.pem' }), secret(LOGIN.password));
    // What upstream needs is not what nodes get.
    const bad = await looked({ ...existing(), mirror: { ca: 'ca.pem' } }, secret(LOGIN.password));

    expect(about(good, subject)).toMatchObject({ severity: 'ok' });
    expect(about(bad, subject)).toMatchObject({
      ...{ severity: 'error', code: 'TLS_UNTRUSTED' },
      hint: expect.stringContaining('registry.ca'),
    });
  });

  test('says that something else listens where the mirror is to listen', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await new Promise((resolve) => server.once('listening', resolve));
    const address = server.address();
    const port = typeof address === 'object' && address ? address.port : 0;

    const taken = await looked({ registry: { port } });
    const free = await looked({ registry: { port: await freePort() } });

    expect(about(taken, `port ${port}`)).toMatchObject({ severity: 'error' });
    expect(about(free, 'port ')).toMatchObject({ severity: 'ok' });
  });

  test('compares the disk with the bytes of the plan', async () => {
    const { work } = await openTestSite({ registry: { port: await freePort() } });
    const disk = async (missingBytes: number) => {
      const content = { images: 1, missingImages: 1, totalBytes: missingBytes, missingBytes };
      return about(await examineSite(ctx, work, { content, sources: false }), 'disk of the mirror');
    };

    expect(await disk(900 * TERABYTE)).toMatchObject({
      severity: 'error',
      message: expect.stringMatching(/free at .*, 900 TiB needed/),
      hint: expect.stringMatching(/^Free /),
    });
  });

  test('says that a host of the site is a node of another cluster', async () => {
    const { hostChecks } = await import('../src/platform/shared/given-network.ts');
    const machines = [
      { name: 'master-0', addresses: ['192.0.2.1'] },
      { name: 'master-1', addresses: ['192.0.2.2'] },
    ];
    const knock = async (address: string) => (address === '192.0.2.1' ? 'open' : 'silent');

    expect(await hostChecks(machines, { knock } as Parameters<typeof hostChecks>[1])).toMatchObject(
      [
        { subject: 'host master-0', severity: 'error', stops: 'boot' },
        { subject: 'host master-1', severity: 'ok' },
      ],
    );
  });
});

// Connecting takes its time on a busy machine.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

describeWithPeers(['sshd', 'ssh'], 'doctor over SSH', () => {
  test('is not needed by siteStatus, which says that the bastion does not answer', async () => {
    const sshd = await startSshd();
    const { site } = await bastionSite(sshd);
    const open = await openSiteFile(site);
    await open.journal.append({ kind: 'finished', step: 'registry', fields: {}, output: {} });
    await sshd.remove();

    const { mirror } = await siteStatus(ctx, open);

    expect(mirror).toMatchObject({ clients: [], unreached: expect.stringMatching(/./) });
  });

  test('compares clock and disk of the bastion', async () => {
    const sshd = await startSshd();
    onTestFinished(sshd.remove);
    const { site, there } = await bastionSite(sshd);
    const { work } = await openSiteFile(site);
    const content = { images: 1, missingImages: 1, totalBytes: 0, missingBytes: 900 * TERABYTE };
    const wrong = { ...ctx, now: () => new Date(Date.now() + DAY_MS) };

    const good = await examineSite(ctx, work, { sources: false });
    const bad = await examineSite(wrong, work, { content, sources: false });

    expect(about(good, 'clock of the bastion')).toMatchObject({ severity: 'ok' });
    expect(about(bad, 'clock of the bastion')).toMatchObject({
      severity: 'error',
      message: expect.stringMatching(/is (?:23h|24h) .* behind this machine/),
    });
    expect(about(bad, 'disk of the mirror')).toMatchObject({
      severity: 'error',
      message: expect.stringContaining(`free at ${there}`),
    });
  });
});

test('siteStatus shows address, days of the certificate, free disk and who pulls', async () => {
  const now = new Date('2026-01-01T10:00:00Z');
  const open = await openTestSite({ registry: { host: 'mirror.example', port: 8443 } });
  const { registry } = sitePaths(open.work.site);
  const ca = await createCa('a CA', { now, days: 100 });
  const server = await createServerCertificate(ca, ['mirror.example'], { now, days: 40 });
  await mkdir(join(registry, 'tls'), { recursive: true });
  await writeFile(join(registry, 'tls', 'server.crt'), server.certificate);
  const request = (client: string, agent: string) => ({
    ...{
      at: now.toISOString(),
      listener: 'store',
      client,
      method: 'GET',
      path: '/v2/',
      status: 200,
    },
    ...{ route: 'manifest', repository: 'openshift/release', reference: 'a', digest: 'sha256:a' },
    ...{ complete: true, bytesReceived: 1, bytesSent: 2048, durationMs: 1, agent },
  });
  const entries = [request('192.0.2.10', 'cri-o/1.31'), request('127.0.0.1', 'atoll/1')];
  const lines = entries.map((entry) => `${JSON.stringify(entry)}\n`);
  await writeFile(join(registry, 'access.log'), lines.join(''));

  const { mirror } = await siteStatus({ ...silentContext(), now: () => now }, open);

  expect(mirror).toMatchObject({
    address: 'mirror.example:8443',
    certificateDays: 40,
    freeBytes: expect.any(Number),
    clients: [{ client: '192.0.2.10', images: 1, bytes: 2048 }],
  });
});
