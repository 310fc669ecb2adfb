import { describe, expect, test } from 'vitest';
import { consolePin } from './console-keys.ts';

const ED = `SHA256:${'a'.repeat(43)}`;
const EC = `SHA256:${'b'.repeat(43)}`;
const KEY = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIExample';

describe('consolePin', () => {
  test('reads the fingerprints with which CoreOS greets, each once', () => {
    const output = `[ 12.3] systemd[1]: Reached target\r\nSSH host key: ${ED} (ED25519)\r\nSSH host key: ${EC} (ECDSA)\r\nens5: 10.0.0.5\r\nlogin: \r\nSSH host key: ${ED} (ED25519)\r\n`;

    expect(consolePin(output)).toEqual({ fingerprints: [ED, EC] });
  });

  test('takes whole keys where cloud-init lists them', () => {
    const output = `-----BEGIN SSH HOST KEY FINGERPRINTS-----\n256 ${ED} root@ip (ED25519)\n-----END SSH HOST KEY FINGERPRINTS-----\n-----BEGIN SSH HOST KEY KEYS-----\n${KEY} root@ip\n-----END SSH HOST KEY KEYS-----\n`;

    expect(consolePin(output)).toEqual({ keys: [KEY] });
  });

  test('takes fingerprints of a list that has no keys', () => {
    const output = `ci-info: -----BEGIN SSH HOST KEY FINGERPRINTS-----\nci-info: 256 ${ED} root@ip (ED25519)\nci-info: -----END SSH HOST KEY FINGERPRINTS-----\n`;

    expect(consolePin(output)).toEqual({ fingerprints: [ED] });
  });

  test('finds nothing while the machine boots, nor in keys of users', () => {
    expect(consolePin('[ 0.0] Linux version')).toBeUndefined();
    expect(
      consolePin(`Ignition: wrote ssh authorized keys file for user: core ${ED}\n${KEY}`),
    ).toBeUndefined();
  });
});
