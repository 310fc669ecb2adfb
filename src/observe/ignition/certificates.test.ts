import { beforeAll, expect, test } from 'vitest';
import { createCa, createServerCertificate } from '../../registry/tls/certificates.ts';
import { certificatesIn } from './certificates.ts';

const DAY = 86_400_000;
const ISSUED = new Date('2026-01-01T01:00:00Z');
const ENDS = new Date('2026-04-11T01:00:00Z');

let ca = '';
let server = '';
beforeAll(async () => {
  const authority = await createCa('test CA', { now: ISSUED, days: 100 });
  ca = authority.certificate;
  const pair = await createServerCertificate(authority, ['mirror.lab'], { now: ISSUED, days: 100 });
  server = pair.certificate;
});

const statesAt = (now: Date) => certificatesIn('/x', ca, now).map(({ state }) => state);

test('certificatesIn tells whose a certificate is, who signed it and from when to when it is valid', () => {
  expect(certificatesIn('/x', `${ca}\n${server}`, ISSUED)).toEqual([
    {
      path: '/x',
      subject: 'CN=test CA',
      issuer: 'CN=test CA',
      notBefore: '2026-01-01T00:00:00.000Z',
      notAfter: ENDS.toISOString(),
      ca: true,
      state: 'valid',
    },
    expect.objectContaining({ subject: 'CN=mirror.lab', issuer: 'CN=test CA', ca: false }),
  ]);
});

test('certificatesIn says what is the matter with the time of a certificate', () => {
  expect(statesAt(new Date('2025-12-31T23:59:59Z'))).toEqual(['not yet valid']);
  expect(statesAt(new Date('2026-01-01T00:00:00Z'))).toEqual(['valid']);
  expect(statesAt(new Date(ENDS.getTime() - 30 * DAY))).toEqual(['valid']);
  expect(statesAt(new Date(ENDS.getTime() - 30 * DAY + 1))).toEqual(['ends soon']);
  expect(statesAt(ENDS)).toEqual(['ends soon']);
  expect(statesAt(new Date(ENDS.getTime() + 1))).toEqual(['expired']);
});

test('certificatesIn finds what is escaped in a string, and what is base64 once more', () => {
  const inJson = JSON.stringify({ ca });
  const encoded = `certificate-authority-data: ${Buffer.from(ca).toString('base64')}`;

  expect(certificatesIn('/x', inJson, ISSUED)).toHaveLength(1);
  expect(certificatesIn('/x', encoded, ISSUED)).toHaveLength(1);
});

test('certificatesIn leaves out what only looks like a certificate', () => {
  const broken = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n';

  expect(certificatesIn('/x', `${broken}${ca}`, ISSUED)).toHaveLength(1);
  expect(certificatesIn('/x', 'no certificate', ISSUED)).toEqual([]);
});
