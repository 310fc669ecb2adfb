import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { toYaml } from '../../src/core/yaml.ts';
import {
  CATALOG_IMAGE,
  EXTRA_IMAGE,
  LAB_VERSIONS,
  upstreamFiles,
} from '../../src/lab/upstream/upstream.ts';
import { FAKE_ADDRESSES, FakeOpenshiftInstall } from './cluster/fake-openshift-install.ts';
import type { KubeApi } from './cluster/kube-api.ts';
import { freePort } from './docker-registry.ts';
import type { EmbeddedRegistry } from './embedded-registry.ts';
import { startFakeDns } from './fake-dns.ts';
import { startLabUpstream } from './lab-upstream.ts';

export const LAB_OPERATORS = [
  { catalog: CATALOG_IMAGE, packages: [{ name: 'lab-storage' }] },
] as const;

export interface NoneSite {
  readonly folder: string;
  readonly file: string;
  readonly installer: FakeOpenshiftInstall;
  readonly upstream: EmbeddedRegistry;
  readonly mirrorPort: number;
  /** Writes the site file again, with these parts on top. */
  readonly write: (change?: Readonly<Record<string, object>>) => Promise<void>;
  readonly stop: () => Promise<void>;
}

/** A site of hosts that are there: an upstream, a cluster to be, and a site file that knows both. */
export async function makeNoneSite(folder: string, api: KubeApi): Promise<NoneSite> {
  const at = (...names: string[]) => join(folder, ...names);
  await mkdir(folder, { recursive: true });
  const installer = await FakeOpenshiftInstall.start(api, at('fake'), at('.atoll'));
  const { registry: upstream, registriesConf } = await startLabUpstream(
    at('upstream'),
    installer.script,
  );
  const login = { auth: Buffer.from('lab:lab-password').toString('base64') };
  await writeFile(at('pull-secret.json'), JSON.stringify({ auths: { [upstream.host]: login } }), {
    mode: 0o600,
  });
  await writeFile(at('id.pub'), `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${'A'.repeat(43)} a@b\n`);
  const dns = await startFakeDns('north.example.com');
  const mirrorPort = await freePort();
  const write = (change: Readonly<Record<string, object>> = {}) =>
    writeFile(
      at('atoll.yaml'),
      toYaml(
        siteOf(at('upstream'), mirrorPort, dns.server, {
          ...change,
          mirror: { registriesConf, ...change.mirror },
        }),
      ),
    );
  await write();
  const stop = async () => {
    await installer.stop();
    await upstream.stop();
    dns.stop();
  };
  return { folder, file: at('atoll.yaml'), installer, upstream, mirrorPort, write, stop };
}

function siteOf(
  upstream: string,
  port: number,
  dns: string,
  change: Readonly<Record<string, object>>,
) {
  const files = upstreamFiles(upstream);
  const roleOf = (name: string) => (name.startsWith('master') ? 'control-plane' : 'worker');
  const machines = Object.entries(FAKE_ADDRESSES).map(([name, address]) => ({
    name,
    role: name === 'bootstrap' ? 'bootstrap' : roleOf(name),
    // Certificates name what the node says of itself.
    addresses: [address, '192.0.2.10'],
  }));
  const site: Record<string, object | string> = {
    name: 'north',
    release: { version: LAB_VERSIONS.at(-1) },
    platform: { type: 'none', machines, dns: [dns] },
    registry: { type: 'embedded', host: '127.0.0.1', port },
    mirror: {
      operators: LAB_OPERATORS,
      additionalImages: [{ name: EXTRA_IMAGE }],
      graph: files.graph,
      signatureStore: `file://${files.signatures}`,
      releaseKey: files.releaseKey,
      sigstoreKey: files.sigstoreKey,
    },
    cluster: {
      name: 'north',
      baseDomain: 'example.com',
      pullSecret: 'pull-secret.json',
      sshKey: 'id.pub',
      controlPlane: 3,
      workers: 1,
    },
  };
  for (const [part, value] of Object.entries(change)) {
    const before = site[part];
    site[part] = typeof before === 'object' ? { ...before, ...value } : value;
  }
  return site;
}
