import { accessSync, constants, existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, test } from 'vitest';

/** Programs of others that interop tests run against. `scripts/peers` installs them. */
export type Peer =
  | 'skopeo'
  | 'podman'
  | 'docker-registry'
  | 'ignition-validate'
  | 'sshd'
  | 'ssh'
  | 'squid'
  | 'htpasswd'
  | 'chromium'
  | 'moto_server'
  | 'versitygw'
  | 'cfn-lint'
  | 'aws'
  | 'pyspdxtools'
  | 'jq'
  | 'gpg'
  | 'openssl'
  | 'zsh'
  | 'bzip2'
  | 'xz'
  | 'apt-get'
  | 'zstd'
  | 'zip'
  | 'curl'
  | 'helm'
  | 'opm'
  | 'cosign'
  | 'etcd'
  | 'qemu-system-x86_64'
  | 'machine'
  | 'vcsim'
  | 'kube-apiserver';

const EXTRA_PATHS = [
  '/usr/local/sbin',
  '/usr/sbin',
  '/sbin',
  '/usr/local/libexec',
  '/usr/libexec',
  '/usr/lib/ignition',
];

/** Where `scripts/peers` keeps a machine: kernel, disk, the key that may log in, its host key. */
export const MACHINE = join(process.env.ATOLL_PEERS_PREFIX ?? '/usr/local', 'share/atoll-peers/vm');

/** Where a peer is, or undefined when this machine has none. */
export function peerPath(peer: Peer): string | undefined {
  if (peer === 'machine') return existsSync(join(MACHINE, 'disk.img')) ? MACHINE : undefined;
  const directories = [...(process.env.PATH ?? '').split(delimiter), ...EXTRA_PATHS];
  return directories.map((directory) => join(directory, peer)).find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * Tests that need real programs of others. Where one is missing they are skipped, and say so;
 * with ATOLL_REQUIRE_PEERS=1, as in CI, a missing one is a failure.
 */
export function describeWithPeers(peers: readonly Peer[], name: string, body: () => void): void {
  const missing = peers.filter((peer) => peerPath(peer) === undefined);
  if (missing.length === 0) {
    describe(name, body);
    return;
  }
  const message = `"${name}" needs ${missing.join(', ')}: run scripts/peers`;
  if (process.env.ATOLL_REQUIRE_PEERS === '1') {
    test(name, () => {
      throw new Error(message);
    });
    return;
  }
  process.stderr.write(`SKIPPED: ${message}\n`);
  describe.skipIf(true)(`${name} (skipped: no ${missing.join(', ')})`, body);
}
