import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { silentContext } from '../../../src/core/context.ts';
import { platformSchema } from '../../../src/generate/install-config/platforms/index.ts';
import type {
  OpenPlatform,
  PlatformKind,
  PlatformSite,
  SiteResource,
} from '../../../src/platform/platform.ts';
import { parseSite } from '../../../src/site/read-site.ts';
import { siteTemplate } from '../../../src/site/site-template.ts';
import { tempDir } from '../temp.ts';

const ctx = silentContext();

/** What every row keeps to, whether its platform is built or not. */
export function describeRow(kind: PlatformKind): void {
  const example = { type: kind.name, ...kind.init.example };

  describe(`the row of platform ${kind.name}`, () => {
    test('takes its own example, and neither another type nor a field it does not know', () => {
      expect(kind.settings.safeParse(example).success).toBe(true);
      expect(kind.settings.safeParse({ ...example, type: 'other' }).success).toBe(false);
      expect(kind.settings.safeParse({ ...example, misspelled: 1 }).success).toBe(false);
    });

    test('asks only for what is in its example', () => {
      expect(Object.keys(kind.init.example)).toEqual(
        expect.arrayContaining(Object.keys(kind.init.asks)),
      );
    });

    test('gives init a file that is valid, with its example in it', () => {
      const text = siteTemplate({
        name: 'north',
        platform: kind,
        settings: {},
        mode: 'disconnected',
        version: '4.18.2',
        baseDomain: 'example.com',
        registryHost: undefined,
        pullSecret: 'pull-secret.json',
      });

      expect(parseSite('/north/atoll.yaml', text, {}, [kind]).problems).toEqual([]);
      expect(parse(text).platform).toEqual(example);
    });

    test('says of its part of the install-config what the generator takes', () => {
      const login = 'username: admin\npassword: a-password-1\n';
      const files = Object.fromEntries(kind.files.map((file) => [file, login]));

      const { platform } = kind.installPlatform(example, { files });

      if (platform) expect(platformSchema.safeParse(platform).error).toBeUndefined();
    });
  });
}

/** A site that a platform can be opened for, in a folder of its own. */
export async function platformSite(
  kind: PlatformKind,
  change: Partial<PlatformSite> = {},
): Promise<PlatformSite> {
  const at = await tempDir();
  const folder = (name: string) => join(at, name);
  return {
    name: 'north',
    domain: 'north.example.com',
    disconnected: true,
    settings: { type: kind.name, ...kind.init.example },
    files: {},
    bastion: { user: 'core', hostKeys: [] },
    cluster: { controlPlane: 3, workers: 2 },
    shape: {
      machineNetwork: '10.0.0.0/16',
      credentialsMode: 'Manual',
      disabledCapabilities: [],
      architecture: 'x86_64',
      bastion: { user: 'core', authorizedKeys: async () => [], allowFrom: [] },
      ports: { registry: 5000 },
      releaseManifests: async () => new Map(),
      credentialsRequests: async () => [],
    },
    mirror: 'mirror.north.example:5000',
    paths: {
      state: at,
      install: folder('install'),
      tools: folder('tools'),
      registry: folder('registry'),
      mirror: folder('mirror'),
      mergedSecret: folder('merged.json'),
    },
    ...change,
  };
}

/** What every platform does that is built. */
export function describePlatform(kind: PlatformKind): void {
  const open = async (change?: Partial<PlatformSite>) =>
    kind.open(await platformSite(kind, change));

  async function provisioned(platform: OpenPlatform): Promise<SiteResource[]> {
    const claimed: SiteResource[] = [];
    await platform.provision(ctx, async (resource) => {
      claimed.push(resource);
    });
    return claimed;
  }

  describe(`platform ${kind.name}`, () => {
    test('says in words what it will do in each of its stages', async () => {
      const plan = (await open()).plan();

      for (const stage of ['infrastructure', 'bastion', 'cluster', 'verify'] as const) {
        expect(plan[stage].join(' ')).toMatch(/\w+ \w+/);
      }
    });

    test('finds nothing in the way of a site that can be made', async () => {
      const checks = await (await open()).preflight(ctx);

      // Names that hosts need to boot are nowhere here; they stop nothing that is made.
      const errors = checks.filter(
        ({ severity, stops }) => severity === 'error' && stops !== 'boot',
      );
      expect(errors).toEqual([]);
    });

    test('says before it makes anything that it does not reach a bastion, and what to do', async () => {
      const nobody = { address: '127.0.0.1', port: 1, user: 'core', hostKeys: [] };
      const platform = await open({ bastion: nobody });

      expect(await platform.preflight(ctx)).toContainEqual(
        expect.objectContaining({
          subject: 'bastion',
          severity: 'error',
          message: expect.stringContaining('core@127.0.0.1'),
          hint: expect.any(String),
        }),
      );
      await expect(platform.bastion(ctx, async () => undefined)).rejects.toMatchObject({
        code: 'HOST_UNREACHABLE',
      });
    });

    test('claims the same when it provisions again', async () => {
      const platform = await open();

      expect(await provisioned(platform)).toEqual(await provisioned(platform));
    });

    test('removes what it made, twice if need be, and nothing that others made', async () => {
      const platform = await open();
      const made = await provisioned(platform);
      const other = await tempDir();

      for (const resource of [...made, ...made]) {
        expect(await platform.remove(ctx, resource)).toBe(true);
        await expect(stat(resource.id)).rejects.toThrow('ENOENT');
      }
      expect(await platform.remove(ctx, { kind: 'directory', id: other, temporary: false })).toBe(
        false,
      );
      expect((await stat(other)).isDirectory()).toBe(true);
    });

    test('has a bastion on which programs run', async () => {
      const host = await (await open()).bastion(ctx, async () => undefined);

      expect(await host.run(ctx, 'true', [])).toMatchObject({ status: 0 });
    });

    test('says with a code why it does not verify a cluster that was never there', async () => {
      const platform = await open();
      const wanted = async () => ({ objects: [], expected: {} });
      const claim = async () => undefined;
      const run = { outputs: {}, directory: '', log: () => undefined, claim, wanted };

      await expect(platform.verify(ctx, run)).rejects.toMatchObject({
        code: expect.stringMatching(/^[A-Z_]+$/),
      });
    });
  });
}
