import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { policyJson } from '../src/generate/policy-json.ts';
import { formatPullSecret, mergePullSecret } from '../src/generate/pull-secret.ts';
import { registriesConf } from '../src/generate/registries-conf.ts';
import { type DockerRegistry, startDockerRegistry } from './support/docker-registry.ts';
import { describeWithPeers, peerPath } from './support/peers.ts';
import { tempDir } from './support/temp.ts';
import { publishUpstream } from './support/upstream.ts';

const run = promisify(execFile);
const skopeo = peerPath('skopeo') ?? 'skopeo';
const IMAGE = 'quay.io/openshifttest/helm:3.17.0';
const LOGIN = { username: 'admin', password: 'mirror-password' };
const PEERS = ['docker-registry', 'skopeo', 'openssl', 'htpasswd'] as const;

/** A mirror as a site has it, TLS and users, and a node with nothing but generated files. */
describeWithPeers(PEERS, 'a node with generated files', () => {
  let mirror: DockerRegistry;
  let dir: string;

  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'atoll-node-'));
    await mkdir(join(dir, 'certs'));
    const [certificate, key] = [join(dir, 'certs', 'ca.crt'), join(dir, 'tls.key')] as const;
    await run('openssl', [
      ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'],
      ...['-subj', '/CN=mirror', '-addext', 'subjectAltName=IP:127.0.0.1'],
      ...['-keyout', key, '-out', certificate],
    ]);
    const { stdout } = await run(peerPath('htpasswd') ?? 'htpasswd', [
      ...['-nbB', LOGIN.username, LOGIN.password],
    ]);
    mirror = await startDockerRegistry({ htpasswd: stdout, tls: { certificate, key } });
    await fill();
  });
  afterAll(async () => {
    await mirror?.stop();
    await rm(dir, { recursive: true, force: true });
  });

  async function fill(): Promise<void> {
    const upstream = await startDockerRegistry();
    try {
      await publishUpstream(upstream.url, {}, (name) => name === IMAGE);
      const path = IMAGE.slice(IMAGE.indexOf('/'));
      await writeFile(join(dir, 'auth.json'), pullSecret(LOGIN.password));
      await run(skopeo, [
        ...['--insecure-policy', 'copy', '--all', '--preserve-digests', '--src-tls-verify=false'],
        ...['--dest-authfile', join(dir, 'auth.json'), '--dest-cert-dir', join(dir, 'certs')],
        ...[`docker://${upstream.host}${path}`, `docker://${mirror.host}${path}`],
      ]);
    } finally {
      await upstream.stop();
    }
  }

  function pullSecret(password: string): string {
    const add = [{ registry: mirror.host, username: LOGIN.username, password }];
    return formatPullSecret(mergePullSecret({ add }));
  }

  async function pull(policy: string, password = LOGIN.password): Promise<string> {
    const node = await tempDir();
    const at = (name: string) => join(node, name);
    const conf = registriesConf({
      rules: [],
      tagRules: [{ source: 'quay.io', mirrors: [mirror.host], policy: 'NeverContactSource' }],
    });
    await writeFile(at('registries.conf'), conf);
    await writeFile(at('auth.json'), pullSecret(password));
    await writeFile(at('policy.json'), policy);
    const globals = ['--registries-conf', at('registries.conf'), '--policy', at('policy.json')];
    const options = ['--all', '--authfile', at('auth.json'), '--src-cert-dir', join(dir, 'certs')];
    const args = [...globals, 'copy', ...options, `docker://${IMAGE}`, `dir:${at('out')}`];
    try {
      await run(skopeo, args, { timeout: 20_000 });
      return 'pulled';
    } catch (error) {
      return (error as { stderr: string }).stderr;
    }
  }

  test('pulls over TLS with the login of the pull secret', async () => {
    expect(await pull(policyJson())).toBe('pulled');
  });

  test('is refused with another password', async () => {
    expect(await pull(policyJson(), 'wrong-password')).toMatch(/unauthorized|authentication/);
  });

  test('obeys policy.json with every kind of trust in it', async () => {
    const scopes = {
      'quay.io/openshifttest': { type: 'accept' },
      'quay.io/openshift-release-dev': { type: 'sigstore', keyPath: '/nowhere.pub' },
      'registry.redhat.io': { type: 'gpg', keyPath: '/nowhere.gpg' },
      'mirror.example/release': {
        type: 'sigstore',
        keyPath: '/nowhere.pub',
        signedAs: 'quay.io/a/b',
      },
    } as const;
    const reject = { type: 'reject' } as const;

    expect(await pull(policyJson({ default: reject, scopes }))).toBe('pulled');
    expect(await pull(policyJson({ default: reject }))).toContain('rejected by policy');
  });
});
