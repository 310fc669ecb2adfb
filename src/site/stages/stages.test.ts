import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { type DockerRegistry, startDockerRegistry } from '../../../test/support/docker-registry.ts';
import { describeWithPeers } from '../../../test/support/peers.ts';
import {
  fillMirror,
  IN_MIRROR,
  openTestSite,
  PULL_SECRET,
  putFakeInstaller,
  stepRun,
} from '../../../test/support/site.ts';
import { tempDir } from '../../../test/support/temp.ts';
import { recordingContext, silentContext } from '../../core/context.ts';
import { hashPassword } from '../../registry/auth/passwords.ts';
import { initRegistry } from '../../registry/init.ts';
import { createCa, createServerCertificate } from '../../registry/tls/certificates.ts';
import type { OpenSite } from '../open-site.ts';
import { clusterStage } from './cluster.ts';
import { configStage } from './config.ts';
import { credentialsStage } from './credentials.ts';
import { registryOptions } from './places.ts';
import { registryStage } from './registry.ts';

const ctx = silentContext();
const modeOf = async (path: string) => ((await stat(path)).mode & 0o777).toString(8);

describe('credentialsStage', () => {
  test('puts the pull secret where only its owner can read it', async () => {
    const { work } = await openTestSite();

    const output = await credentialsStage.run(ctx, work, stepRun());

    expect(output.registries).toEqual(['quay.io']);
    expect(JSON.stringify(output)).not.toContain('dXBzdHJlYW0');
    expect(await modeOf(work.paths.upstreamSecret)).toBe('600');
    expect(await modeOf(join(work.paths.upstreamSecret, '..'))).toBe('700');
  });

  test('notices another pull secret under the same name', async () => {
    const { work } = await openTestSite();
    const first = await credentialsStage.run(ctx, work, stepRun());
    await writeFile(
      join(work.site.directory, 'pull-secret.json'),
      PULL_SECRET.replace('quay', 'q'),
    );

    const second = await credentialsStage.run(ctx, work, stepRun());

    expect(second.fingerprint).not.toBe(first.fingerprint);
  });

  test('warns when others can read the pull secret, and names the file when it is none', async () => {
    const recording = recordingContext();
    const { work } = await openTestSite({ cluster: { pullSecret: 'open' } }, { open: PULL_SECRET });
    await credentialsStage.run(recording, work, stepRun());
    expect(recording.events).toMatchObject([
      { type: 'warning.raised', message: expect.stringContaining('Others can read') },
    ]);

    await writeFile(join(work.site.directory, 'open'), '{"auths":[]}');
    await expect(credentialsStage.run(ctx, work, stepRun())).rejects.toThrow('/open"');
  });
});

async function tlsFiles(): Promise<{ ca: string; certificate: string; key: string }> {
  const folder = await tempDir();
  const now = new Date();
  const ca = await createCa('a CA', { now, days: 2 });
  const server = await createServerCertificate(ca, ['localhost'], { now, days: 1 });
  const paths = {
    ca: join(folder, 'ca.crt'),
    certificate: join(folder, 'server.crt'),
    key: join(folder, 'server.key'),
  };
  await writeFile(paths.ca, ca.certificate);
  await writeFile(paths.certificate, server.certificate);
  await writeFile(paths.key, server.key);
  return paths;
}

const authOf = (user: string, password: string) => ({
  auth: Buffer.from(`${user}:${password}`).toString('base64'),
});

describeWithPeers(['docker-registry'], 'registryStage with a registry the site has', () => {
  async function registryWithUsers(): Promise<{ registry: DockerRegistry; ca: string }> {
    const tls = await tlsFiles();
    const htpasswd = `mirror:${await hashPassword('a-password')}\n`;
    const registry = await startDockerRegistry({ tls, htpasswd });
    onTestFinished(() => registry.stop());
    return { registry, ca: tls.ca };
  }
  const siteAt = ({ host }: DockerRegistry, change: object, auths: object) =>
    openTestSite(
      { registry: { type: 'existing', port: Number(host.split(':')[1]), ...change } },
      { 'auth.json': JSON.stringify({ auths }) },
    );

  test('asks it with the CA and the login of the site, and gives nodes that login alone', async () => {
    const { registry, ca } = await registryWithUsers();
    const host = `localhost:${registry.host.split(':')[1]}`;
    const mine = { [host]: authOf('mirror', 'a-password') };
    const auths = { ...mine, 'other.example': authOf('u', 'other-secret') };
    const { work, inventory } = await siteAt(registry, { ca, authfile: 'auth.json' }, auths);

    expect(await registryStage.run(ctx, work, stepRun())).toEqual({
      host,
      ca,
      fingerprint: expect.any(String),
    });

    expect(JSON.parse(await readFile(work.paths.mirrorSecret, 'utf8'))).toEqual({ auths: mine });
    expect(await modeOf(work.paths.mirrorSecret)).toBe('600');
    expect(inventory.resources()).toEqual([]);
  });

  test('fails at once, and says why, when the CA or the login is wrong', async () => {
    const { registry, ca } = await registryWithUsers();
    const host = `localhost:${registry.host.split(':')[1]}`;
    const bad = { [host]: authOf('mirror', 'a-wrong-password') };

    const untrusted = await siteAt(registry, { authfile: 'auth.json' }, bad);
    await expect(registryStage.run(ctx, untrusted.work, stepRun())).rejects.toMatchObject({
      code: 'TLS_UNTRUSTED',
    });
    const denied = await siteAt(registry, { ca, authfile: 'auth.json' }, bad);
    await expect(registryStage.run(ctx, denied.work, stepRun())).rejects.toMatchObject({
      code: 'REGISTRY_DENIED',
    });
  });
});

test('registryStage refuses a port that its registry was not made with', async () => {
  const { work, inventory } = await openTestSite({ registry: { type: 'embedded', port: 5001 } });
  await initRegistry(ctx, {
    directory: work.paths.registry,
    hosts: ['localhost'],
    port: 5000,
    user: 'atoll',
  });

  await expect(registryStage.run(ctx, work, stepRun())).rejects.toMatchObject({
    code: 'INPUT_INVALID',
    message: expect.stringMatching(/port 5001.*config\.yaml" says 5000/),
    hint: expect.stringContaining('registry.port back to 5000'),
  });
  // What was there before is not the site's to remove.
  expect(inventory.resources()).toEqual([]);
});

test('registryOptions leaves out the CA of a registry that is not made yet, but not one the site names', async () => {
  const embedded = await openTestSite();
  const existing = await openTestSite({ registry: { type: 'existing', ca: 'missing.crt' } });

  expect(registryOptions(embedded.work).ca).toEqual([]);
  expect(registryOptions(existing.work).ca).toEqual([
    join(existing.work.site.directory, 'missing.crt'),
  ]);
});

/** A site whose images stage has run, and whose registry is somebody else's. */
async function mirroredSite(change: Readonly<Record<string, object>> = {}): Promise<OpenSite> {
  const { ca } = await tlsFiles();
  const registry = { type: 'existing', port: 5000, ca };
  const open = await openTestSite({ registry, ...change });
  await fillMirror(open.work.paths);
  return open;
}

describe('configStage', () => {
  test('writes files that point at the mirror and at nothing else, for their owner alone', async () => {
    const { work } = await mirroredSite();

    const output = await configStage.run(ctx, work, stepRun());

    expect(output.releaseImage).toBe(`${IN_MIRROR.release}@${IN_MIRROR.digest}`);
    const at = (name: string) => join(work.paths.install, name);
    const config = parse(await readFile(at('install-config.yaml'), 'utf8'));
    expect(config.imageDigestSources).toEqual([
      { source: IN_MIRROR.release, mirrors: ['localhost:5000/openshift/release-images'] },
      { source: IN_MIRROR.components, mirrors: ['localhost:5000/openshift/release'] },
    ]);
    expect(config.additionalTrustBundle).toContain('BEGIN CERTIFICATE');
    expect(Object.keys(JSON.parse(config.pullSecret).auths)).toEqual(['localhost:5000']);
    const conf = await readFile(at('nodes/registries.conf'), 'utf8');
    expect(conf).toMatch(/(?:location|prefix) = "quay.io"\n.*blocked = true/);
    for (const name of await readdir(at('nodes'))) {
      expect(await modeOf(at(`nodes/${name}`))).toBe('600');
    }
  });

  test('keeps the login of upstream in a private site, which has a way out', async () => {
    const { work } = await mirroredSite();

    await configStage.run(ctx, { ...work, site: { ...work.site, mode: 'private' } }, stepRun());

    const secret = await readFile(join(work.paths.install, 'nodes/pull-secret.json'), 'utf8');
    expect(Object.keys(JSON.parse(secret).auths)).toEqual(['quay.io', 'localhost:5000']);
  });

  test('says what to run first when there is no release in the mirror', async () => {
    const { work } = await openTestSite();

    await expect(configStage.run(ctx, work, stepRun())).rejects.toMatchObject({
      code: 'CONTENT_MISSING',
      hint: expect.stringContaining('atoll up --only images'),
    });
  });

  test('refuses what the installer would refuse, field by field', async () => {
    const { work } = await mirroredSite({ cluster: { clusterNetwork: '10.0.0.0/14' } });

    await expect(configStage.run(ctx, work, stepRun())).rejects.toThrow(/clusterNetwork/);
  });
});

describe('clusterStage on platform none', () => {
  async function siteWithFakeInstaller(): Promise<OpenSite> {
    // There is no mirror here to rehearse with.
    const open = await openTestSite({ cluster: { rehearse: false } });
    const { install } = open.work.paths;
    await mkdir(install, { recursive: true });
    await writeFile(join(install, 'install-config.yaml'), 'apiVersion: v1\n');
    await mkdir(join(install, 'extra', 'manifests'), { recursive: true });
    await writeFile(join(install, 'extra', 'manifests', '99-atoll-operatorhub.yaml'), 'kind: X\n');
    await putFakeInstaller(open.work.paths);
    return open;
  }

  test('makes Ignition files, says so, waits twice, and keeps its own install-config', async () => {
    const { work } = await siteWithFakeInstaller();
    const recording = recordingContext();
    const run = stepRun();

    const output = await clusterStage.run(recording, work, run);

    const folder = join(work.paths.install, 'cluster');
    const calls = await readFile(join(work.paths.tools, 'calls'), 'utf8');
    expect(calls.trim().split('\n')).toEqual([
      `create manifests --dir ${folder}`,
      `create ignition-configs --dir ${folder}`,
      `wait-for bootstrap-complete --dir ${folder}`,
      `wait-for install-complete --dir ${folder}`,
    ]);
    expect(output.kubeconfig).toBe(join(folder, 'auth', 'kubeconfig'));
    expect(run.lines).toContain('fake installer: wait-for install-complete');
    const told = recording.events.filter(({ type }) => !type.startsWith('task.'));
    expect(told).toMatchObject([
      { type: 'warning.raised', message: expect.stringContaining('without a rehearsal') },
      { type: 'note.added', message: expect.stringContaining('Boot your hosts') },
      { type: 'note.added', message: expect.stringContaining('.openshift_install.log') },
    ]);
    expect(await readdir(work.paths.install)).toContain('install-config.yaml');
    const taken = await readFile(join(work.paths.install, 'taken'), 'utf8');
    expect(taken.split('\n')).toEqual(
      expect.arrayContaining(['99-atoll-operatorhub.yaml', 'cvo-overrides.yaml']),
    );
  });

  test('goes on waiting for the cluster that an earlier run began, and makes no second one', async () => {
    const { work } = await siteWithFakeInstaller();
    await writeFile(join(work.paths.tools, 'fail-bootstrap-complete'), '');
    await expect(clusterStage.run(ctx, work, stepRun())).rejects.toThrow('status 1');
    await rm(join(work.paths.tools, 'fail-bootstrap-complete'));
    await rm(join(work.paths.tools, 'calls'));

    await clusterStage.run(ctx, work, stepRun());

    const calls = await readFile(join(work.paths.tools, 'calls'), 'utf8');
    expect(calls).not.toContain('create');
    expect(calls).toContain('wait-for install-complete');
  });

  test('does not go on with a cluster of another install-config', async () => {
    const { work } = await siteWithFakeInstaller();
    await clusterStage.run(ctx, work, stepRun());
    await writeFile(
      join(work.paths.install, 'install-config.yaml'),
      'apiVersion: v1\nfips: true\n',
    );

    await expect(clusterStage.run(ctx, work, stepRun())).rejects.toMatchObject({
      code: 'CLUSTER_FAILED',
      hint: expect.stringContaining('rm -r'),
    });
  });

  test('fails with exit 6 and the way to find out, when the installer gives up', async () => {
    const { work } = await siteWithFakeInstaller();
    await writeFile(join(work.paths.tools, 'fail-bootstrap-complete'), '');

    await expect(clusterStage.run(ctx, work, stepRun())).rejects.toMatchObject({
      code: 'CLUSTER_FAILED',
      message: 'openshift-install wait-for bootstrap-complete ended with status 1',
      hint: `Run: atoll diagnose ${work.paths.install}`,
    });
  });

  test('shows the last words of an installer that gave up', async () => {
    const { work } = await siteWithFakeInstaller();
    const words = 'level=error msg="Bootstrap failed to complete: timed out"';
    const script = `#!/bin/sh\necho '${words}' >&2\nexit 5\n`;
    await rm(join(work.paths.tools, 'openshift-install'));
    await writeFile(join(work.paths.tools, 'openshift-install'), script, { mode: 0o755 });

    await expect(clusterStage.run(ctx, work, stepRun())).rejects.toThrow(
      'ended with status 5\n  Bootstrap failed to complete: timed out',
    );
  });
});
