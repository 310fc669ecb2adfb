import { mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { silentContext } from '../src/core/context.ts';
import { toYaml } from '../src/core/yaml.ts';
import { connectPrism } from '../src/platform/nutanix/client/prism.ts';
import { nutanixPlatform } from '../src/platform/nutanix/nutanix-platform.ts';
import { type NutanixWorld, openNutanix } from '../src/platform/nutanix/open-nutanix.ts';
import { nutanixSettingsSchema } from '../src/platform/nutanix/settings.ts';
import type { PlatformKind, PlatformSite } from '../src/platform/platform.ts';
import { VIRTUAL_WORLD } from '../src/platform/shared/virtual-bastion.ts';
import { takeDown } from '../src/site/down.ts';
import { openSite } from '../src/site/open-site.ts';
import { readSite } from '../src/site/read-site.ts';
import { bringUp } from '../src/site/up.ts';
import { testInventory } from './support/aws-site.ts';
import { bastionSite } from './support/bastion-site.ts';
import { bootSshd } from './support/boot-sshd.ts';
import { type FakePrism, PRISM_LOGIN, startFakePrism } from './support/fake-prism.ts';
import { describeWithPeers } from './support/peers.ts';
import { putFakeInstaller } from './support/site.ts';
import { type Sshd, startSshd } from './support/sshd.ts';
import { platformSite } from './support/suites/platform-suite.ts';

const ctx = silentContext();
const REQUEST = toYaml({
  apiVersion: 'cloudcredential.openshift.io/v1',
  kind: 'CredentialsRequest',
  metadata: {
    name: 'openshift-machine-api-nutanix',
    namespace: 'openshift-cloud-credential-operator',
  },
  spec: {
    secretRef: { name: 'nutanix-credentials', namespace: 'openshift-machine-api' },
    providerSpec: { apiVersion: 'cloudcredential.openshift.io/v1', kind: 'NutanixProviderSpec' },
  },
});

describeWithPeers(['sshd', 'ssh'], 'a site on Nutanix, with a fake Prism', () => {
  let prism: FakePrism;
  let sshd: Sshd;

  beforeAll(async () => {
    prism = await startFakePrism();
    sshd = await startSshd();
  });
  afterAll(async () => {
    await sshd?.remove();
    await prism?.stop();
  });
  beforeEach(() => {
    prism.refuse = undefined;
    prism.calls.length = 0;
  });

  const names = () =>
    Object.values(prism.kept)
      .flatMap((all) => all.map(({ spec }) => spec.name))
      .toSorted();

  /** The machine that was made is played by sshd, with what its user data gave it. */
  const world: NutanixWorld = {
    pollMs: 1,
    connect: (options) => connectPrism({ ...options, env: {}, retry: { attempts: 1 } }),
    login: async (context, at, as) => {
      const vm = prism.kept.vms.find(({ spec }) => spec.name === 'north-bastion');
      const data = /"user_data":"([^"]+)"/.exec(JSON.stringify(vm))?.[1] ?? '';
      await bootSshd(sshd, Buffer.from(data, 'base64').toString('utf8'));
      return await VIRTUAL_WORLD.login(context, at, as);
    },
  };
  const settings = (change: object = {}) => ({
    ...{ type: 'nutanix', credentials: 'prism.yaml', ca: 'ca.crt' },
    prismCentral: { address: 'localhost', port: prism.port },
    prismElement: { uuid: prism.cluster, address: 'element.example.com' },
    ...{ subnetUuid: prism.subnet, preloadedOsImage: 'rhcos-4.18' },
    ...{ apiVips: ['10.0.0.5'], ingressVips: ['10.0.0.6'] },
    ...change,
  });

  async function opened(change: object = {}, more: Partial<PlatformSite> = {}) {
    const plain = await platformSite(nutanixPlatform, more);
    const credentials = join(plain.paths.state, 'prism.yaml');
    await writeFile(credentials, toYaml(PRISM_LOGIN));
    const site = {
      ...plain,
      settings: nutanixSettingsSchema.parse(settings(change)),
      files: { ca: prism.ca, credentials },
      bastion: more.bastion ?? {
        ...{ user: sshd.user, port: sshd.port, privateKey: sshd.identity, hostKeys: [] },
      },
      shape: {
        ...plain.shape,
        bastion: { user: sshd.user, authorizedKeys: async () => [sshd.publicKey], allowFrom: [] },
        credentialsRequests: async () => [REQUEST],
      },
    };
    return { site, platform: openNutanix(site, world) };
  }

  test('goes up to its images on a bastion that is made there, and down', async () => {
    const before = names();
    const kind: PlatformKind = {
      ...nutanixPlatform,
      open: async (site) =>
        openNutanix({ ...site, settings: nutanixSettingsSchema.parse(site.settings) }, world),
    };
    const files = { 'prism.yaml': toYaml(PRISM_LOGIN), 'ca.crt': prism.caText };
    const { site: path } = await bastionSite(sshd, {
      platform: settings({ bastion: { imageUrl: 'http://files.example/rhcos.qcow2' } }),
      files,
    });
    const open = await openSite(ctx, await readSite(path, {}, [kind]), { PATH: process.env.PATH });
    onTestFinished(() => open.close());

    const { error, outputs } = await bringUp(ctx, open, { to: 'images' });

    expect(error).toBeUndefined();
    expect(outputs.images).toMatchObject({ images: 1, copied: 1 });
    expect(names()).toEqual([...before, 'north-bastion', 'north-bastion'].toSorted());
    expect(prism.kept.vms.at(-1)?.metadata).toMatchObject({
      categories: { 'atoll-site': 'north' },
    });
    expect(prism.categories.get('atoll-site')).toEqual(new Set(['north']));
    const made = prism.calls.filter((call) => call === 'POST vms').length;
    expect((await bringUp(ctx, open, { to: 'images' })).error).toBeUndefined();
    expect(prism.calls.filter((call) => call === 'POST vms')).toHaveLength(made);

    await takeDown(ctx, open, { temporary: false });
    expect(names()).toEqual(before);
    expect(prism.categories.size).toBe(0);
  }, 300_000);

  test('leaves nothing behind, whichever request was its last', async () => {
    const before = names();
    const change = { bastion: { imageUrl: 'http://files.example/rhcos.qcow2' } };
    let done = false;
    for (let last = 1; !done; last += 1) {
      let count = 0;
      prism.refuse = () => {
        count += 1;
        return count > last ? 400 : undefined;
      };
      const inventory = testInventory();
      const { platform } = await opened(change);
      done = await platform
        .provision(ctx, inventory.claim)
        .then(() => platform.bastion(ctx, inventory.claim))
        .then(
          () => true,
          () => false,
        );
      prism.refuse = undefined;
      await inventory.removeAll(ctx, platform);
      await platform.close();
      expect([names(), prism.categories.size]).toEqual([before, 0]);
    }
    expect(prism.calls.length).toBeGreaterThan(20);
  }, 300_000);

  test('finds nothing in the way where all is there, and names what there is where something is not', async () => {
    const errorsOf = async (change: object) => {
      const { platform } = await opened(change);
      const checks = await platform.preflight(ctx);
      await platform.close();
      return checks.filter(({ severity }) => severity === 'error');
    };

    expect(await errorsOf({})).toEqual([]);
    const wrong = { uuid: 'none', address: 'element.example.com' };
    expect(
      await errorsOf({ prismElement: wrong, subnetUuid: 'none', preloadedOsImage: 'x' }),
    ).toEqual([
      expect.objectContaining({ hint: expect.stringContaining(`element-1 (${prism.cluster})`) }),
      expect.objectContaining({ hint: expect.stringContaining(`machines (${prism.subnet})`) }),
      expect.objectContaining({ hint: expect.stringContaining('"rhcos-4.18"') }),
    ]);
    expect(await errorsOf({ preloadedOsImage: undefined })).toMatchObject([
      { subject: 'platform.preloadedOsImage', stops: 'boot' },
      { subject: 'platform.bastion.image' },
    ]);
  });

  test.each([
    [
      'a wrong password',
      { login: async () => ({ ...PRISM_LOGIN, password: 'x' }) },
      'CLOUD_CREDENTIALS',
    ],
    ['a certificate of nobody known', { ca: undefined }, 'TLS_UNTRUSTED'],
    ['a server that is not there', { server: 'localhost:1' }, 'CLOUD_UNAVAILABLE'],
  ])('says what to do about %s', async (_, change, code) => {
    const plain = { server: `localhost:${prism.port}`, ca: prism.ca, env: {} };
    const login = async () => PRISM_LOGIN;
    const client = connectPrism({ ...plain, login, retry: { attempts: 1 }, ...change });

    await expect(client.call(ctx, 'look', 'GET', 'users/me')).rejects.toMatchObject({
      code,
      hint: expect.stringMatching(/platform\.(?:credentials|ca|prismCentral)/),
    });
    client.close();
  });

  test('gives the operators of its cluster their login, and does not touch what another made', async () => {
    const here = { bastion: { address: 'localhost', user: 'core', hostKeys: [] } };
    const { site, platform } = await opened({}, here);
    const inventory = testInventory();
    await putFakeInstaller(site.paths);
    await mkdir(join(site.paths.install, 'extra'), { recursive: true });
    await writeFile(join(site.paths.install, 'install-config.yaml'), 'apiVersion: v1\n');

    const run = {
      ...{ outputs: {}, directory: '', log: () => undefined, claim: inventory.claim },
      wanted: async () => ({ objects: [], expected: {} }),
    };
    await platform.boot(ctx, run);

    const folder = join(site.paths.install, 'extra', 'manifests');
    const [secret = ''] = await readdir(folder);
    expect(secret).toContain('nutanix-credentials');
    expect((await stat(join(folder, secret))).mode & 0o077).toBe(0);
    expect(inventory.resources.map(({ kind }) => kind)).toEqual(['openshift-cluster']);
    const other = { kind: 'nutanix-vm', id: 'somebody-else', temporary: false };
    await expect(platform.remove(ctx, other)).rejects.toMatchObject({ code: 'CLOUD_LEFTOVERS' });
    expect(names()).toContain('somebody-else');
    await platform.close();
  });
});
