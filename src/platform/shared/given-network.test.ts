import { expect, onTestFinished, test } from 'vitest';
import { startFakeDns } from '../../../test/support/fake-dns.ts';
import { networkChecks, networkProbes } from './given-network.ts';

const SITE = { domain: 'north.example.com', mirror: 'mirror.north.example.com:5000' };
const severities = (checks: Awaited<ReturnType<typeof networkChecks>>) =>
  Object.fromEntries(checks.map(({ subject, severity }) => [subject, severity]));

test('networkChecks finds names and load balancers as the name servers of the hosts know them', async () => {
  const dns = await startFakeDns('north.example.com', '192.0.2.1');
  onTestFinished(() => dns.stop());
  const { resolve } = networkProbes([dns.server]);
  const knock = async (_address: string, port: number) => (port === 6443 ? 'open' : 'refused');

  const checks = await networkChecks(SITE, { resolve, knock } as Parameters<
    typeof networkChecks
  >[1]);

  expect(severities(checks)).toEqual({
    'DNS api.north.example.com': 'ok',
    'port api.north.example.com:6443': 'ok',
    'DNS api-int.north.example.com': 'ok',
    'port api-int.north.example.com:22623': 'warning',
    'DNS *.apps.north.example.com': 'ok',
    'port *.apps.north.example.com:443': 'warning',
    'port *.apps.north.example.com:80': 'warning',
    'DNS mirror.north.example.com': 'ok',
  });
});

test('networkChecks says which name is missing, that it stops only the boot, and what to do', async () => {
  const dns = await startFakeDns('south.example.com');
  onTestFinished(() => dns.stop());

  const checks = await networkChecks(
    { ...SITE, mirror: '192.0.2.7:5000' },
    networkProbes([dns.server]),
  );

  expect(checks).toHaveLength(3);
  expect(checks[2]).toMatchObject({
    subject: 'DNS *.apps.north.example.com',
    severity: 'error',
    stops: 'boot',
    message: expect.stringContaining('*.apps.north.example.com has no address'),
    hint: expect.stringContaining('platform.dns'),
  });
});

test('networkProbes tell a port that somebody listens at from one that nobody does', async () => {
  const { createServer } = await import('node:net');
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const { knock } = networkProbes([]);

  expect(await knock('127.0.0.1', port)).toBe('open');
  await new Promise((resolve) => server.close(resolve));
  expect(await knock('127.0.0.1', port)).toBe('refused');
});
