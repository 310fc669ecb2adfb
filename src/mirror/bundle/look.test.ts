import { execFileSync } from 'node:child_process';
import { copyFile, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { generateKey } from 'openpgp';
import { describe, expect, test } from 'vitest';
import { describeWithPeers } from '../../../test/support/peers.ts';
import { tempDir } from '../../../test/support/temp.ts';
import { once } from '../../core/bytes.ts';
import { silentContext } from '../../core/context.ts';
import { blobOf } from '../../oci/build-image.ts';
import { digestOf } from '../../oci/digest.ts';
import { keysUnderRule, loadBundleKeys, loadSigner } from './bundle-signature.ts';
import { BundleWriter } from './bundle-writer.ts';
import { checkBundle, diffBundles, listBundle } from './look.ts';
import { joinBundle, splitBundle } from './parts.ts';

const ctx = silentContext();
const CHUNK_BYTES = 5000;
const PART_BYTES = 1200;

interface Saved {
  readonly tag?: string;
  readonly seed?: string;
  readonly key?: string;
}

/** A bundle of two images' worth of bytes in chunks of 5000. */
async function save({ tag = 'v1', seed = 'a', key }: Saved = {}): Promise<string> {
  const folder = await tempDir();
  const blobs = [`${seed}1`, 'shared'].map((name) => blobOf('', Buffer.from(name.repeat(1300))));
  const writer = await BundleWriter.open(folder, { chunkBytes: CHUNK_BYTES });
  const descriptors = blobs.map(({ descriptor }) => descriptor);
  await writer.prepare(ctx, descriptors);
  for (const { descriptor, bytes } of blobs) await writer.putBlob(ctx, descriptor, once(bytes));
  const image = {
    kind: 'additional',
    source: `quay.io/team/tool:${tag}`,
    digest: digestOf(seed),
    mediaType: '',
    size: 1,
    reason: `listed as tool:${tag}`,
  };
  const signer = key === undefined ? undefined : await loadSigner(key, undefined);
  await writer.finish(ctx, { images: [image], signatures: [] }, { signer });
  return folder;
}

async function makeKey(name: string): Promise<{ secret: string; open: string }> {
  const folder = await tempDir();
  const { privateKey, publicKey } = await generateKey({ userIDs: [{ name }] });
  const [secret, open] = [join(folder, 'secret.asc'), join(folder, 'open.asc')];
  await writeFile(secret, privateKey);
  await writeFile(open, publicKey);
  return { secret, open };
}

const sumsHold = (folder: string) =>
  execFileSync('sha256sum', ['-c', '--quiet', 'SHA256SUMS'], { cwd: folder, stdio: 'pipe' });

describe('a bundle', () => {
  test('is checked by sha256sum alone, and says how', async () => {
    const folder = await save();

    expect(() => sumsHold(folder)).not.toThrow();
    const readme = await readFile(join(folder, 'README_FIRST.txt'), 'utf8');
    expect(readme).toContain('sha256sum -c SHA256SUMS');

    await writeFile(join(folder, 'chunk-000002.atoll'), 'altered');
    expect(() => sumsHold(folder)).toThrow('1 computed checksum did NOT match');
  });

  test('that lost a file beside its index says so, one that never had any does not', async () => {
    const folder = await save();

    await rm(join(folder, 'bundle.spdx.json'));
    const check = checkBundle(ctx, folder, []);
    await expect(check).rejects.toMatchObject({
      code: 'BUNDLE_DAMAGED',
      message: expect.stringContaining('bundle.spdx.json (missing)') as string,
    });

    for (const file of ['SHA256SUMS', 'README_FIRST.txt', 'bundle.provenance.json'])
      await rm(join(folder, file));
    expect((await checkBundle(ctx, folder, [])).id).toBeTruthy();
  });

  test('names what it holds and where that came from, in SPDX and in-toto', async () => {
    const folder = await save();

    const spdx = JSON.parse(await readFile(join(folder, 'bundle.spdx.json'), 'utf8'));
    const provenance = JSON.parse(await readFile(join(folder, 'bundle.provenance.json'), 'utf8'));

    expect(spdx.packages).toContainEqual(
      expect.objectContaining({
        name: 'quay.io/team/tool',
        versionInfo: 'v1',
        checksums: [{ algorithm: 'SHA256', checksumValue: digestOf('a').slice(7) }],
      }),
    );
    expect(provenance.predicate.buildDefinition.resolvedDependencies).toEqual([
      expect.objectContaining({
        uri: 'quay.io/team/tool:v1',
        digest: { sha256: digestOf('a').slice(7) },
      }),
    ]);
    const chunks = provenance.subject.map(({ name }: { name: string }) => name);
    expect(chunks).toContain('chunk-000001.atoll');
  });
});

describeWithPeers(['pyspdxtools'], 'the bill of materials of a bundle', () => {
  test('is valid for the tools of SPDX, which refuse it when an element is not there', async () => {
    const file = join(await save(), 'bundle.spdx.json');
    const validate = () => execFileSync('pyspdxtools', ['--infile', file], { stdio: 'pipe' });

    expect(validate).not.toThrow();
    await writeFile(
      file,
      (await readFile(file, 'utf8')).replace('SPDXRef-bundle', 'SPDXRef-other'),
    );
    expect(validate).toThrow('SPDXRef-bundle');
  });
});

test.each(['README_FIRST.txt', 'SHA256SUMS', 'bundle.spdx.json', 'bundle.provenance.json'])(
  'checkBundle names %s when a bit of it turned over',
  async (file) => {
    const folder = await save();
    const bytes = await readFile(join(folder, file));
    bytes[7] = (bytes[7] ?? 0) ^ 1;
    await writeFile(join(folder, file), bytes);

    await expect(checkBundle(ctx, folder, [])).rejects.toMatchObject({
      code: 'BUNDLE_DAMAGED',
      details: { damaged: file },
    });
  },
);

describe('listBundle', () => {
  test('says what is in it, where from and why', async () => {
    const summary = await listBundle(await save());

    expect(summary).toMatchObject({ isSigned: false, chunks: 3, blobs: 2, deltas: 0, since: [] });
    expect(summary.images).toEqual([
      {
        kind: 'additional',
        source: 'quay.io/team/tool:v1',
        digest: digestOf('a'),
        reason: 'listed as tool:v1',
      },
    ]);
  });
});

describe('checkBundle', () => {
  test('names every damaged file in one error', async () => {
    const folder = await save();
    await rm(join(folder, 'chunk-000001.atoll'));
    await writeFile(join(folder, 'chunk-000003.atoll'), 'short');
    await writeFile(join(folder, 'bundle.spdx.json'), '{}');

    await expect(checkBundle(ctx, folder, [])).rejects.toMatchObject({
      code: 'BUNDLE_DAMAGED',
      details: { damaged: 'chunk-000001.atoll, chunk-000003.atoll, bundle.spdx.json' },
    });
  });

  test('verifies the signature', async () => {
    const [team, other] = [await makeKey('team'), await makeKey('other')];
    const folder = await save({ key: team.secret });

    const checked = await checkBundle(ctx, folder, await loadBundleKeys([team.open]));
    expect(checked).toMatchObject({ isSigned: true, isVerified: true });
    await expect(
      checkBundle(ctx, folder, await loadBundleKeys([other.open])),
    ).rejects.toMatchObject({ code: 'SIGNATURE_INVALID' });
  });
});

describe('keysUnderRule', () => {
  test('takes only keys of the folder, and none where it is empty', async () => {
    const [team, other] = [await makeKey('team'), await makeKey('other')];
    const rule = await tempDir();
    const keys = async (...files: string[]) =>
      (await keysUnderRule(await loadBundleKeys(files), rule)).length;

    await expect(keys()).rejects.toMatchObject({ code: 'SIGNATURE_INVALID' });
    await copyFile(team.open, join(rule, 'team.asc'));
    expect(await keys()).toBe(1);
    expect(await keys(other.open, team.open)).toBe(1);
    await expect(keys(other.open)).rejects.toMatchObject({ code: 'SIGNATURE_INVALID' });
    expect(await keysUnderRule([])).toEqual([]);
    await expect(keysUnderRule([], join(rule, 'absent'))).rejects.toMatchObject({
      code: 'FILE_UNREADABLE',
    });
  });
});

describe('splitBundle and joinBundle', () => {
  test('give back the same bundle, with its id and signature', async () => {
    const { secret, open } = await makeKey('team');
    const folder = await save({ key: secret });
    const before = new Map<string, Buffer>();
    for (const name of await readdir(folder)) before.set(name, await readFile(join(folder, name)));

    await splitBundle(ctx, folder, PART_BYTES);

    for (const name of await readdir(folder))
      if (name.startsWith('chunk-'))
        expect((await readFile(join(folder, name))).length).toBeLessThanOrEqual(PART_BYTES);
    expect(() => sumsHold(folder)).not.toThrow();
    const keys = await loadBundleKeys([open]);
    expect(await checkBundle(ctx, folder, keys)).toMatchObject({ inParts: true });

    await joinBundle(ctx, folder);

    expect((await readdir(folder)).toSorted()).toEqual([...before.keys()].toSorted());
    for (const [name, bytes] of before) expect(await readFile(join(folder, name))).toEqual(bytes);
    expect(await checkBundle(ctx, folder, keys)).toMatchObject({ inParts: false });
  });

  test('name every part that has to be copied again, and touch nothing before', async () => {
    const folder = await save();
    const { files } = await splitBundle(ctx, folder, PART_BYTES);
    const elsewhere = await tempDir();
    const [lost = '', altered = ''] = [files[1], files[5]];
    await rename(join(folder, lost), join(elsewhere, lost));
    await copyFile(join(folder, altered), join(elsewhere, altered));
    await writeFile(join(folder, altered), 'altered');

    await expect(joinBundle(ctx, folder)).rejects.toMatchObject({
      details: { damaged: `${lost}, ${altered}` },
    });

    for (const name of [lost, altered]) await copyFile(join(elsewhere, name), join(folder, name));
    await joinBundle(ctx, folder);
    await checkBundle(ctx, folder, []);
  });

  test('go on after a crash at any moment', async () => {
    const folder = await save();
    const chunk = join(folder, 'chunk-000001.atoll');
    const whole = await readFile(chunk);
    // A part was copied and the chunk not cut yet, then the chunk was cut and the rest not.
    await writeFile(`${chunk}.005`, whole.subarray(4 * PART_BYTES));
    await writeFile(`${chunk}.004`, 'half a part');
    await writeFile(chunk, whole.subarray(0, 4 * PART_BYTES));
    await splitBundle(ctx, folder, PART_BYTES);
    // The first part is the chunk already, and half of the second is in it; the second is still there.
    await rename(`${chunk}.001`, chunk);
    await writeFile(chunk, whole.subarray(0, PART_BYTES + 500));
    await joinBundle(ctx, folder);

    expect(await readFile(chunk)).toEqual(whole);
    await checkBundle(ctx, folder, []);
  });

  test('refuse another size while it is in parts, and a bundle that is whole', async () => {
    const folder = await save();
    await expect(joinBundle(ctx, folder)).rejects.toMatchObject({ code: 'BUNDLE_INVALID' });
    await splitBundle(ctx, folder, PART_BYTES);
    await expect(splitBundle(ctx, folder, 900)).rejects.toMatchObject({ code: 'BUNDLE_INVALID' });
    await mkdir(join(folder, 'kept'));
    await expect(BundleWriter.grow(folder)).rejects.toThrow('it is in parts');
  });
});

describe('diffBundles', () => {
  test('tells what was added, removed and changed, and how many bytes that is', async () => {
    const [old, same, fresh] = [
      await save(),
      await save({ seed: 'b' }),
      await save({ tag: 'v2', seed: 'b' }),
    ];

    expect(await diffBundles(old, same)).toMatchObject({
      changed: [{ source: 'quay.io/team/tool:v1', before: digestOf('a'), digest: digestOf('b') }],
      added: [],
      removed: [],
      addedBytes: 2600,
      removedBytes: 2600,
    });
    expect(await diffBundles(join(old, 'bundle.json'), fresh)).toMatchObject({
      added: [{ source: 'quay.io/team/tool:v2' }],
      removed: [{ source: 'quay.io/team/tool:v1' }],
      same: 0,
    });
  });

  test('keeps apart what is of one name: two releases, two images of a repository by digest', async () => {
    const image = (digest: string, more: object) => ({
      ...{ kind: 'related', digest: digestOf(digest), mediaType: '', size: 1, reason: 'made up' },
      ...{ source: `quay.io/team/operand@${digestOf(digest)}`, ...more },
    });
    const etcd = (digest: string) => image(digest, { kind: 'component', component: 'etcd' });
    const bundleOf = async (...images: ReturnType<typeof image>[]) => {
      const folder = await tempDir();
      const writer = await BundleWriter.open(folder, { chunkBytes: CHUNK_BYTES });
      await writer.finish(ctx, { images, signatures: [] }, {});
      return folder;
    };
    const old = await bundleOf(etcd('4.18.1'), image('a', {}), image('b', {}));
    const fresh = await bundleOf(etcd('4.18.1'), etcd('4.18.2'), image('b', {}), image('c', {}));

    const diff = await diffBundles(old, fresh);
    const back = await diffBundles(fresh, old);

    expect(diff).toMatchObject({
      added: [{ digest: digestOf('4.18.2') }],
      removed: [],
      changed: [{ before: digestOf('a'), digest: digestOf('c') }],
      same: 2,
    });
    expect(back).toMatchObject({ added: [], removed: [{ digest: digestOf('4.18.2') }], same: 2 });
  });
});
