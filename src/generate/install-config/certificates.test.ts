import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeWithPeers } from '../../../test/support/peers.ts';
import { installConfig } from './build.ts';
import { checkTrust } from './sections/trust.ts';

const DAY_MS = 24 * 3_600_000;
const EC = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];

describeWithPeers(['openssl'], 'checkTrust', () => {
  let dir: string;
  const file = (name: string) => join(dir, name);
  const pem = (name: string) => readFileSync(file(`${name}.pem`), 'utf8');
  const openssl = (...args: string[]) => execFileSync('openssl', args, { stdio: 'pipe' });

  function selfSigned(name: string, subject: string): void {
    const out = ['-keyout', file(`${name}.key`), '-out', file(`${name}.pem`)];
    openssl('req', '-x509', ...EC, '-days', '3650', '-subj', `/CN=${subject}`, ...out);
  }

  function signed(name: string, issuer: string, extension: string): void {
    const request = file(`${name}.csr`);
    openssl('req', ...EC, '-subj', `/CN=${name}`, '-keyout', file(`${name}.key`), '-out', request);
    writeFileSync(file('extension'), `${extension}\n`);
    openssl(
      ...['x509', '-req', '-in', request, '-days', '100', '-extfile', file('extension')],
      ...['-CA', file(`${issuer}.pem`), '-CAkey', file(`${issuer}.key`), '-CAcreateserial'],
      ...['-out', file(`${name}.pem`)],
    );
  }

  beforeAll(() => {
    dir = mkdtempSync(join(tmpdir(), 'atoll-certificates-'));
    selfSigned('root', 'root');
    selfSigned('other', 'root');
    signed('intermediate', 'root', 'basicConstraints=critical,CA:TRUE');
    signed('mirror', 'intermediate', 'subjectAltName=DNS:mirror.example,IP:10.0.0.1');
    signed('nameless', 'root', 'basicConstraints=CA:FALSE');
  });
  afterAll(() => rmSync(dir, { recursive: true, force: true }));

  function check(bundle: string, certificates: string, host = 'mirror.example:5000', days = 0) {
    const config = installConfig({
      ...{ name: 'a', baseDomain: 'b.example', pullSecret: '', platform: { type: 'none' } },
      additionalTrustBundle: bundle,
    });
    const now = new Date(Date.now() + days * DAY_MS);
    const facts = { now, mirror: { host, certificates } };
    return checkTrust(config, { facts, platform: undefined }).map(
      ({ severity, message }) => `${severity}: ${message}`,
    );
  }

  test('accepts a chain over what the mirror shows, or over the bundle', () => {
    expect(check(pem('root'), pem('mirror') + pem('intermediate'))).toEqual([]);
    expect(check(pem('other') + pem('intermediate'), pem('mirror'))).toEqual([]);
    expect(check(pem('intermediate'), pem('mirror'), '10.0.0.1:5000')).toEqual([]);
  });

  test('refuses a CA of the same name that did not sign, and a missing intermediate', () => {
    const refused = [expect.stringContaining('does not sign the certificate of mirror.example')];

    expect(check(pem('other'), pem('mirror') + pem('intermediate'))).toEqual(refused);
    expect(check(pem('root'), pem('mirror'))).toEqual(refused);
  });

  test('takes the certificate itself as trusted, with a warning', () => {
    expect(check(pem('mirror'), pem('mirror'))).toEqual(['warning: certificate 1 is not a CA']);
  });

  test('refuses another name, and one that stands only in the common name', () => {
    expect(check(pem('intermediate'), pem('mirror'), 'other.example:5000')).toEqual([
      expect.stringContaining('not for "other.example": DNS:mirror.example'),
    ]);
    expect(check(pem('root'), pem('nameless'), 'nameless')).toEqual([
      expect.stringContaining('it has no SAN'),
    ]);
  });

  test('tells about the beginning and the end of validity', () => {
    const at = (days: number) => check(pem('intermediate'), pem('mirror'), undefined, days);

    expect(at(80)).toEqual([expect.stringMatching(/^warning: .* expires on /)]);
    expect(at(101)).toEqual([expect.stringMatching(/^error: .* expired on /)]);
    expect(at(-1)).toEqual([expect.stringMatching(/^error: .* is not valid before /)]);
  });
});
