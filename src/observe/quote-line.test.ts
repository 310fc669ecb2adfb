import { expect, test } from 'vitest';
import { printable, quoteLine, shellWord, unlessSecret } from './quote-line.ts';

test.each([
  String.raw`pull secret {\"auths\":{\"quay.io\":{\"auth\":\"dXNlcjpzM2NyM3RwYXNz\"}}}`,
  'skopeo copy --dest-creds robot:s3cr3tpass a b',
  'podman login --password=s3cr3tpass mirror',
  'login with password: s3cr3tpass',
  'AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMIs3cr3tpass',
  'auth: dXNlcjpzM2NyM3RwYXNz',
  'token eyJhbGciOiJSUzI1NiJ9.dXNlcjpzM2NyM3RwYXNz.c2lnbmF0dXJl',
  'token sha256~s3cr3tpasss3cr3tpasss3cr3tpass',
  '-----BEGIN RSA PRIVATE KEY-----\nMIIEs3cr3tpass\n-----END RSA PRIVATE KEY-----',
  'http://user:s3cr3tpass@proxy:3128',
  'platform.vsphere.vcenters[0].password: Invalid value: "s3cr3tpass": must have no space',
  String.raw`err=\"hosts[1].bmc.password: Invalid value: \\"s3cr3tpass\\": too short\"`,
])('quoteLine keeps a secret to itself: %s', (text) => {
  expect(quoteLine(text)).not.toMatch(/s3cr3tpass|dXNlcjpzM2NyM3RwYXNz/);
  expect(quoteLine(text)).toContain('[redacted]');
});

test.each([
  'unable to retrieve auth token: invalid username/password: unauthorized',
  'secret "pull-secret" not found; password: authentication required',
  'reading manifest sha256:ab in quay.io/a/b@sha256:ab: unauthorized: authentication required',
  'podman login --password-stdin --tls-verify=false mirror.lan; the password is incorrect',
  'oc --token-file /srv/t get nodes: unexpected token: 5, client_secret: not given',
  'htpasswd -n admin: cannot open /srv/htpasswd; mysql -p: access denied',
  'curl -sk https://mirror.lan/v2/ --user-agent lids: Cookie: is not set',
  '"Unable to register node with API server" err="nodes is forbidden" node="master-0"',
])('quoteLine leaves what is no secret: %s', (text) => {
  expect(quoteLine(text)).toBe(text);
});

test('printable shows nothing that acts on a terminal', () => {
  const text = '\x1b]0;title\x07\x1b[2J\x1b[31mred\x1b[0m one\ttwo\nthree \u202eback\x07 \x9b31m';

  expect(printable(text)).toBe('red one two three ?back? ?31m');
});

test('unlessSecret hides a secret inside a word, and a word that is one', () => {
  const word = 'a.password: Invalid value: "s3cr3tpass": too short';
  const line = `error: ${word}`;

  expect(unlessSecret(word, line)).toBe('a.password: Invalid value: "[redacted]": too short');
  expect(unlessSecret('s3cr3tpass', line)).toBeUndefined();
  expect(unlessSecret('too short', line)).toBe('too short');
});

test.each([
  ['mirror.lab:5000', 'mirror.lab:5000'],
  ['[fd00::5]:5000', '[fd00::5]:5000'],
  ['$(reboot)', '<host>'],
  ['a;reboot', '<host>'],
  ['`reboot`', '<host>'],
  ['-oProxyCommand=reboot', '<host>'],
  ['https://user:s3cr3t@mirror.lab', '<host>'],
])('shellWord puts %s into a command as %s', (value, expected) => {
  expect(shellWord('host', value)).toBe(expected);
});

test.each([
  'curl -u admin:geheim123 https://mirror.lab:8443/v2/',
  'curl -sk --user "admin:geheim123" https://mirror.lab:8443/v2/',
  'podman login -u admin -p geheim123 mirror.lab:8443',
  'data:,%7B%22auths%22%3A%7B%22m%22%3A%7B%22auth%22%3A%22geheim123%22%7D%7D%7D',
  "curl -ksu 'admin:geheim123' https://mirror.lab:8443/v2/",
  'sshpass -p geheim123 ssh core@w1',
  'mysql -uroot -pgeheim123 depot',
  'GET /x?body=%257B%2522password%2522%253A%2522geheim123%2522%257D',
  'aws_secret_access_key = geheim123/K7MDENG',
  'client_secret=geheim123',
  'POST /oauth token=geheim123',
  'Cookie: lang=de; session=geheim123',
  'curl -H "X-Auth-Token: geheim123" https://depot.lan',
  '<password>geheim123</password>',
  'X-Amz-Signature=geheim123&X-Amz-Date=20260102',
  'mirror-registry install --initPassword geheim123 --quayHostname depot.lan',
  'Quay is available at https://depot.lan:8443 with credentials (init, geheim123)',
  'ipmitool -I lanplus -U root -P geheim123 -H 10.7.0.9 power status',
  'htpasswd -bBc /srv/htpasswd admin geheim123',
  'htpasswd -nbB admin geheim123',
  'govc about -u admin@vsphere.local:geheim123@vcenter.lan',
  'the password is geheim123',
  'x \\\\\\"auth\\\\\\":\\\\\\"geheim123\\\\\\"',
])('quoteLine hides the secret of %s', (line) => {
  expect(quoteLine(line)).not.toContain('geheim123');
});
