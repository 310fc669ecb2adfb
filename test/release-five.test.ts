import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseImageSet } from '../src/content/image-set/parse-image-set.ts';
import { openRelease } from '../src/content/release/open-release.ts';
import { osStreams } from '../src/content/release/os-streams.ts';
import { trustSigstore } from '../src/content/release/release-trust.ts';
import { verifyOpenRelease } from '../src/content/release/verify-release.ts';
import { silentContext } from '../src/core/context.ts';
import { readYaml } from '../src/core/yaml.ts';
import type { MirrorRule } from '../src/generate/mirror-rule.ts';
import { readMirrorSet } from '../src/generate/mirror-set-migration.ts';
import { formatPullSecret, mergePullSecret } from '../src/generate/pull-secret.ts';
import { registriesConf } from '../src/generate/registries-conf.ts';
import { createWeb } from '../src/http/web.ts';
import { copyImages } from '../src/mirror/copy/copy-images.ts';
import { parseDestination } from '../src/mirror/destination.ts';
import { mirrorRelease } from '../src/mirror/flow/release/mirror-release.ts';
import { releaseFromRegistry } from '../src/mirror/flow/release/release-origin.ts';
import { syncMirror } from '../src/mirror/flow/sync.ts';
import { WorkingDir } from '../src/mirror/flow/working-dir.ts';
import { parseReference } from '../src/oci/reference.ts';
import { pullPlan } from '../src/rehearse/storm/shares.ts';
import { createRegistries } from '../src/remote/create-registries.ts';
import type { Registries } from '../src/remote/registries.ts';
import { type EmbeddedRegistry, startEmbeddedRegistry } from './support/embedded-registry.ts';
import {
  generateConfig,
  holesOf,
  LOGIN,
  rehearseFolder,
  startMirror,
  type TestMirror,
} from './support/rehearsal.ts';
import { type FiveChoices, makeReleaseFive, type ReleaseFive } from './support/release-five.ts';
import { tempDir } from './support/temp.ts';

const ctx = silentContext({ now: () => new Date('2027-06-01T00:00:00Z') });
const CHANNEL = `apiVersion: mirror.openshift.io/v2alpha1
kind: ImageSetConfiguration
mirror:
  platform:
    architectures: [ARCH]
    channels:
    - name: stable-5.0
`;

describe('a release 5.0', () => {
  let mirror: TestMirror;
  let upstream: EmbeddedRegistry;
  let registries: Registries;
  const web = createWeb();

  beforeAll(async () => {
    [mirror, upstream] = await Promise.all([startMirror(undefined), startEmbeddedRegistry()]);
    const folder = await mirror.folder();
    const conf = join(folder, 'registries.conf');
    const rules = [{ source: 'quay.io', mirrors: [upstream.host] }];
    const insecure = [upstream.host];
    const text = registriesConf({ rules, tagRules: rules, blocked: ['quay.io'], insecure });
    await writeFile(conf, text);
    const authfile = join(folder, 'auth.json');
    const add = [{ registry: mirror.plainHost, ...LOGIN }];
    await writeFile(authfile, formatPullSecret(mergePullSecret({ add })));
    registries = createRegistries({ insecure: true, env: {}, registriesConf: conf, authfile });
  });
  afterAll(async () => {
    web.close();
    await registries?.close();
    await Promise.all([mirror?.stop(), upstream?.stop()]);
  });

  async function publish(choices: FiveChoices = {}): Promise<ReleaseFive> {
    const five = await makeReleaseFive(choices);
    const report = await copyImages(ctx, {
      images: five.published.map(({ repository, name, root }) => ({
        source: five.images,
        target: registries.repository(upstream.host, repository.replace(/^quay.io\//, '')),
        reference: root.digest,
        tags: name === root.digest ? [] : [name],
        from: name,
        to: name,
      })),
      signatures: false,
    });
    expect(report.failed).toBe(0);
    return five;
  }
  const depsOf = (five: ReleaseFive) => ({
    ...five.deps,
    source: (reference: ReturnType<typeof parseReference>) => registries.source(reference),
    web,
    sigstoreKey: five.sigstoreKey,
  });
  async function sync(five: ReleaseFive, architecture = 'amd64') {
    const dir = await tempDir();
    const result = await syncMirror(ctx, {
      imageSet: parseImageSet(CHANNEL.replace('ARCH', architecture), 'isc.yaml'),
      collect: depsOf(five),
      destination: parseDestination(mirror.plainHost),
      registries,
      workingDir: new WorkingDir(dir),
    });
    const file = join(dir, 'working-dir/cluster-resources/idms-oc-mirror.yaml');
    const [set] = readYaml(await readFile(file, 'utf8'), file);
    return { result, rules: readMirrorSet(set as object)?.rules ?? [] };
  }
  const open = (five: ReleaseFive) => {
    const reference = parseReference(five.payload);
    const place = { reference, source: registries.source(reference), tagOrDigest: five.digest };
    return openRelease(ctx, { ...place, shown: five.payload });
  };

  test('is mirrored with both systems of nodes, ruled for both repositories, and rehearsed', async () => {
    const five = await publish();

    const { result, rules } = await sync(five);

    expect(result.report.failed).toBe(0);
    const names = result.report.images.map(({ component }) => component);
    expect(names).toEqual(expect.arrayContaining([...five.components.keys()]));
    expect(rules.map(({ source }) => source.split('/').at(-1))).toEqual([
      'ocp-release',
      'ocp-v4.0-art-dev',
      'ocp-v5.0-art-dev',
    ]);
    const toMirror = (rule: MirrorRule) => ({
      ...rule,
      mirrors: rule.mirrors.map((each) => each.replace(mirror.plainHost, mirror.host)),
    });
    const wanted = { releases: [five.payload] };
    const whole = await generateConfig(mirror, { rules: rules.map(toMirror), tagRules: [] });
    const rehearsal = await rehearseFolder(whole, wanted);
    expect(holesOf(rehearsal)).toEqual([]);
    // As people wrote it for 4.x: the components of 5.0 are not led to the mirror.
    const old = rules.filter(({ source }) => !source.endsWith('ocp-v5.0-art-dev')).map(toMirror);
    const half = await generateConfig(mirror, { rules: old, tagRules: [] });
    const [hole] = holesOf(await rehearseFolder(half, wanted));
    expect(hole?.images.join()).toContain(five.components.get('rhel-coreos-10')?.image);
    const [, control] = pullPlan(rehearsal.checks, 3);
    const pulled = control?.nodes[0]?.images.map(({ image }) => image.component);
    expect(pulled).toContain('rhel-coreos-10');
  });

  test('tells its streams, and every component of it is verified', async () => {
    const five = await publish();
    const release = await open(five);
    const reach = {
      source: registries.source.bind(registries),
      repository: registries.repository.bind(registries),
    };

    const streams = await osStreams(ctx, release, reach);
    const trust = { web, keys: five.deps.releaseKeys, stores: five.deps.signatureStores };
    const { sigstoreKey } = five;
    const verdict = await verifyOpenRelease(ctx, release, { trust, sigstoreKey, images: reach });

    expect(streams).toEqual([
      {
        name: 'rhel-10',
        osImage: five.components.get('rhel-coreos-10')?.image,
        osExtensionsImage: five.components.get('rhel-coreos-10-extensions')?.image,
      },
      {
        name: 'rhel-9',
        osImage: five.components.get('rhel-coreos')?.image,
        osExtensionsImage: five.components.get('rhel-coreos-extensions')?.image,
      },
    ]);
    expect(verdict).toMatchObject({
      sigstore: 'verified',
      images: { missing: [], wrong: [], signed: five.components.size },
    });
  });

  test('of which only the members are signed comes with the signatures of each', async () => {
    const five = await publish({ multi: true });

    const { result } = await sync(five, 'multi');

    const release = result.report.images.find(({ kind }) => kind === 'release');
    expect([result.report.failed, release?.digest]).toEqual([0, five.digest]);
    const place = registries.repository(mirror.plainHost, 'openshift/release-images');
    const children = (await place.manifest(ctx, (await place.resolve(ctx, five.digest)) ?? never()))
      .children;
    expect(children).toHaveLength(2);
    for (const { digest } of children)
      expect(await place.resolve(ctx, `${digest.replace(':', '-')}.sig`)).toBeDefined();
  });

  test.each(['none', 'bundle'] as const)(
    'that nodes would refuse (%s) is refused by sync and by mirror release alike',
    async (signing) => {
      const five = await publish({ signing });
      const refused = { code: 'SIGNATURE_MISSING' };

      await expect(sync(five)).rejects.toMatchObject(refused);
      const origin = await releaseFromRegistry(ctx, parseReference(five.payload), registries);
      const to = `${mirror.plainHost}/refused/${signing}`;
      const run = { origin, collect: depsOf(five), to, registries };
      await expect(mirrorRelease(ctx, run)).rejects.toMatchObject(refused);
    },
  );

  test('signed by cosign 3 is verified where nodes do not insist, and with another key refused', async () => {
    const five = await publish({ signing: 'bundle' });
    const other = await makeReleaseFive();
    const { place, descriptor } = await open(five);
    const subject = { source: place.source, descriptor, platforms: undefined };
    const old = { reference: parseReference('quay.io/team/app'), version: '5.0.1' };

    expect(await trustSigstore(ctx, subject, old, five.sigstoreKey)).toBeUndefined();
    await expect(trustSigstore(ctx, subject, old, other.sigstoreKey)).rejects.toMatchObject({
      code: 'SIGNATURE_INVALID',
    });
  });
});

function never(): never {
  throw new Error('it is not there');
}
