import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { silentContext } from '../src/core/context.ts';
import { toYaml } from '../src/core/yaml.ts';
import type { PlatformKind, PlatformSite } from '../src/platform/platform.ts';
import { VIRTUAL_WORLD } from '../src/platform/shared/virtual-bastion.ts';
import { openVsphere, type VsphereWorld } from '../src/platform/vsphere/open-vsphere.ts';
import { type VsphereSettings, vsphereSettingsSchema } from '../src/platform/vsphere/settings.ts';
import { vspherePlatform } from '../src/platform/vsphere/vsphere-platform.ts';
import { takeDown } from '../src/site/down.ts';
import { openSite } from '../src/site/open-site.ts';
import { readSite } from '../src/site/read-site.ts';
import { bringUp } from '../src/site/up.ts';
import { testInventory } from './support/aws-site.ts';
import { bastionSite } from './support/bastion-site.ts';
import { bootSshd } from './support/boot-sshd.ts';
import { describeWithPeers } from './support/peers.ts';
import { type Sshd, startSshd } from './support/sshd.ts';
import { platformSite } from './support/suites/platform-suite.ts';
import { mended, startVcsim, VCENTER_LOGIN, type Vcsim } from './support/vcsim.ts';

const ctx = silentContext();
const PATH = '/DC0/vm/north-bastion';
const DATA = 'guestinfo.ignition.config.data';

describeWithPeers(['vcsim', 'sshd', 'ssh'], 'a site on vSphere', () => {
  let vcsim: Vcsim;
  let sshd: Sshd;

  beforeAll(async () => {
    vcsim = await startVcsim();
    sshd = await startSshd();
  });
  afterAll(async () => {
    await sshd?.remove();
    await vcsim?.stop();
  });

  /** The machine that was made is played by sshd, with what its Ignition config gave it. */
  const world = (): VsphereWorld => ({
    pollMs: 1,
    connect: (options) => mended(vcsim.connect({ ...options, env: {}, retry: { attempts: 1 } })),
    login: async (context, at, as) => {
      const data = (await vcsim.options(PATH)).get(DATA) ?? '';
      // Only its first boot has the config.
      if (data !== '') await bootSshd(sshd, Buffer.from(data, 'base64').toString('utf8'));
      return await VIRTUAL_WORLD.login(context, at, as);
    },
  });
  const settings = (change: object = {}) => ({
    ...{ type: 'vsphere', server: vcsim.server, credentials: 'vcenter.yaml', ca: 'ca.crt' },
    ...{ datacenter: 'DC0', cluster: 'DC0_C0', datastore: 'LocalDS_0', network: 'DC0_DVPG0' },
    ...{ template: 'DC0_H0_VM0', apiVips: ['10.0.0.5'], ingressVips: ['10.0.0.6'] },
    ...change,
  });

  /** A platform that is opened without the stages above it. */
  async function opened(change: object = {}, world_: VsphereWorld = world()) {
    const plain = await platformSite(vspherePlatform);
    const site: PlatformSite<VsphereSettings> = {
      ...plain,
      settings: vsphereSettingsSchema.parse(settings(change)),
      files: { ca: vcsim.ca },
      bastion: { user: sshd.user, port: sshd.port, privateKey: sshd.identity, hostKeys: [] },
      shape: {
        ...plain.shape,
        bastion: { user: sshd.user, authorizedKeys: async () => [sshd.publicKey], allowFrom: [] },
      },
    };
    const connect: VsphereWorld['connect'] = (options) =>
      world_.connect({ ...options, login: async () => VCENTER_LOGIN });
    return openVsphere(site, { ...world_, connect });
  }

  test('goes up to its images on a bastion that is made there, again without a change, and down', async () => {
    const before = await vcsim.machines();
    const kind: PlatformKind = {
      ...vspherePlatform,
      open: async (site) =>
        openVsphere({ ...site, settings: vsphereSettingsSchema.parse(site.settings) }, world()),
    };
    const files = { 'vcenter.yaml': toYaml(VCENTER_LOGIN), 'ca.crt': vcsim.caText };
    const { site: path } = await bastionSite(sshd, { platform: settings(), files });
    const open = await openSite(ctx, await readSite(path, {}, [kind]), { PATH: process.env.PATH });
    onTestFinished(() => open.close());

    const { error, outputs } = await bringUp(ctx, open, { to: 'images' });

    expect(error).toBeUndefined();
    expect(outputs.images).toMatchObject({ images: 1, copied: 1 });
    expect(await vcsim.machines()).toEqual(expect.arrayContaining([...before, 'north-bastion']));
    const options = await vcsim.options(PATH);
    expect(options.get('atoll.site')).toBe('north');
    expect(options.has(DATA)).toBe(false);
    expect((await bringUp(ctx, open, { to: 'images' })).error).toBeUndefined();

    await takeDown(ctx, open, { temporary: false });
    expect((await vcsim.machines()).toSorted()).toEqual(before.toSorted());
  }, 300_000);

  test('leaves nothing behind, whichever call was its last', async () => {
    const before = (await vcsim.machines()).toSorted();
    let calls = 0;
    for (let last = 1, done = false; !done; last += 1) {
      calls = 0;
      const plain = world();
      const connect: VsphereWorld['connect'] = (options) => {
        const vcenter = plain.connect(options);
        const call: typeof vcenter.call = async (...args) => {
          calls += 1;
          if (calls > last) throw new Error('killed');
          return await vcenter.call(...args);
        };
        return { ...vcenter, call };
      };
      const inventory = testInventory();
      const platform = await opened({}, { ...plain, connect });
      done = await platform.bastion(ctx, inventory.claim).then(
        () => true,
        (error: Error) => {
          expect(error.message).toBe('killed');
          return false;
        },
      );
      await platform.close();
      const next = await opened();
      await inventory.removeAll(ctx, next);
      await next.close();
      expect((await vcsim.machines()).toSorted()).toEqual(before);
    }
    expect(calls).toBeGreaterThan(10);
  }, 300_000);

  test('finds nothing in the way where all is there, and names what there is where something is not', async () => {
    const errorsOf = async (change: object) => {
      const platform = await opened(change);
      const checks = await platform.preflight(ctx);
      await platform.close();
      return checks.filter(({ severity }) => severity === 'error');
    };

    expect(await errorsOf({})).toEqual([]);
    const missing = await errorsOf({
      ...{ datastore: 'ds', network: 'nowhere', template: 'rhcos', resourcePool: 'low' },
    });
    const hints = missing.map(({ hint }) => hint).join('\n');
    for (const name of [
      '"LocalDS_0"',
      '"DC0_DVPG0"',
      '"VM Network"',
      '"DC0_H0_VM0"',
      '"Resources"',
    ])
      expect(hints).toContain(name);
    expect(await errorsOf({ datacenter: 'dc1' })).toEqual([
      expect.objectContaining({
        message: `Cannot use the datacenter /dc1: there is none in ${vcsim.server}`,
        hint: 'Correct platform.datacenter: there is "DC0"',
      }),
    ]);
    expect(await errorsOf({ template: undefined })).toMatchObject([
      { subject: 'platform.template', stops: 'boot' },
      { subject: 'platform.bastion.template' },
    ]);
  });

  test.each([
    [
      'a wrong password',
      { login: async () => ({ ...VCENTER_LOGIN, password: 'x' }) },
      'CLOUD_CREDENTIALS',
    ],
    ['a certificate of nobody known', { ca: undefined }, 'TLS_UNTRUSTED'],
    ['a server that is not there', { server: 'localhost:1' }, 'CLOUD_UNAVAILABLE'],
  ])('says what to do about %s', async (_, change, code) => {
    const vcenter = vcsim.connect({ ...change, retry: { attempts: 1 } });

    await expect(vcenter.session(ctx)).rejects.toMatchObject({
      code,
      hint: expect.stringMatching(/platform\.(?:credentials|ca|server)/),
    });
    await vcenter.close();
  });

  test('does not touch a machine that another made under its name', async () => {
    const platform = await opened({ folder: '/DC0/vm' });
    const resource = { kind: 'vsphere-vm', id: '/DC0/vm/DC0_H0_VM0', temporary: false };

    await expect(platform.remove(ctx, resource)).rejects.toMatchObject({ code: 'CLOUD_LEFTOVERS' });
    expect(await platform.remove(ctx, { ...resource, kind: 'directory' })).toBe(false);
    expect(await vcsim.machines()).toContain('DC0_H0_VM0');
    await platform.close();
  });
});
