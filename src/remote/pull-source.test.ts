import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { collect, describeBytes, once, openRegistries } from '../../test/support/remote.ts';
import { error, startScriptedRegistry } from '../../test/support/scripted-registry.ts';
import { tempDir } from '../../test/support/temp.ts';
import { recordingContext, silentContext } from '../core/context.ts';
import { digestOf } from '../oci/digest.ts';
import { MEDIA_TYPES } from '../oci/media-types.ts';
import { parseReference } from '../oci/reference.ts';

const ctx = silentContext();
const TEXT = JSON.stringify({ schemaVersion: 2, mediaType: MEDIA_TYPES.ociIndex, manifests: [] });
const DESCRIPTOR = describeBytes(Buffer.from(TEXT), MEDIA_TYPES.ociIndex);

interface Mirrors {
  readonly mirrors: readonly string[];
  readonly source?: string;
  readonly more?: string;
}

/** Registries whose registries.conf sends `upstream.example.com/org` to these places. */
async function through({ mirrors, source, more = '' }: Mirrors) {
  const path = join(await tempDir(), 'registries.conf');
  const tables = mirrors.map((location) => `[[registry.mirror]]\nlocation = "${location}"\n`);
  const location = source ?? 'upstream.invalid/org';
  const head = `[[registry]]\nprefix = "upstream.example.com/org"\nlocation = "${location}"\n${more}\n`;
  await writeFile(path, `${head}${tables.join('')}`);
  const registries = openRegistries({ registriesConf: path });
  return registries.source(parseReference('upstream.example.com/org/app:v1'));
}

async function holding(repository: string) {
  const registry = await startScriptedRegistry();
  registry.memory.addManifest(repository, 'v1', MEDIA_TYPES.ociIndex, TEXT);
  return registry;
}

describe('a pull', () => {
  test('takes the first mirror that has the manifest, and its blobs from there too', async () => {
    const empty = await startScriptedRegistry();
    const full = await holding('mirror/app');
    const bytes = Buffer.from('layer');
    full.memory.addBlob('mirror/app', bytes);
    const source = await through({ mirrors: [`${empty.host}/a`, `${full.host}/mirror`] });

    expect(await source.resolve(ctx, 'v1')).toEqual(DESCRIPTOR);
    const manifest = await source.manifest(ctx, DESCRIPTOR);
    const blob = await collect(source.blob(ctx, describeBytes(bytes)));

    expect(manifest.descriptor.digest).toBe(DESCRIPTOR.digest);
    expect(digestOf(blob)).toBe(digestOf(bytes));
    expect(source.endpoint).toBe(`${full.host}/mirror/app`);
    expect(empty.lines()).toEqual(['GET /v2/', 'HEAD /v2/a/app/manifests/v1']);
  });

  test('asks one endpoint for referrers without asking first whether it has the image', async () => {
    const only = await holding('org/app');
    const registries = openRegistries({});
    const source = registries.source(parseReference(`${only.host}/org/app:v1`));

    expect(await source.referrers(ctx, DESCRIPTOR.digest)).toEqual([]);

    expect(only.lines()).not.toContain(`HEAD /v2/org/app/manifests/${DESCRIPTOR.digest}`);
  });

  test('does not ask for signatures where registries.d says that there are none, and tells it once', async () => {
    const only = await holding('org/app');
    const registriesD = await tempDir();
    const off = 'use-sigstore-attachments: false';
    await writeFile(join(registriesD, 'a.yaml'), `docker: {"${only.host}/org": {${off}}}`);
    await writeFile(join(registriesD, 'notes.txt'), 'no YAML: [');
    const source = (name: string, more: object = {}) =>
      openRegistries(more).source(parseReference(`${only.host}/${name}:v1`));
    const signature = `${DESCRIPTOR.digest.replace(':', '-')}.sig`;
    const told = recordingContext();

    const silent = source('org/app', { registriesD });
    expect(await silent.resolve(told, signature)).toBeUndefined();
    expect(await silent.find(told, signature)).toBeUndefined();
    expect(await silent.referrers(told, DESCRIPTOR.digest)).toEqual([]);
    expect(only.lines()).toEqual([]);
    expect(told.events.map((event) => 'message' in event && event.message)).toEqual([
      `Signatures of ${only.host}/org/app are not looked for: "${join(registriesD, 'a.yaml')}" says ${off}`,
    ]);
    expect(await silent.resolve(ctx, 'v1')).toEqual(DESCRIPTOR);

    await source('other/app', { registriesD }).resolve(ctx, signature);
    await source('org/app').resolve(ctx, signature);
    expect(only.lines().filter((line) => line.endsWith('.sig'))).toHaveLength(2);
  });

  test('falls through to the source after all mirrors', async () => {
    const upstream = await holding('org/app');
    const source = await through({ mirrors: ['mirror.invalid/a'], source: `${upstream.host}/org` });

    expect(await source.resolve(ctx, 'v1')).toEqual(DESCRIPTOR);
    expect(source.endpoint).toBe(`${upstream.host}/org/app`);
  });

  test('names every place and its cause when none works; what somebody said counts most', async () => {
    const denied = await startScriptedRegistry((request) =>
      request.path === '/v2/' ? undefined : { status: 403, body: error('DENIED', 'not yours') },
    );
    const source = await through({ mirrors: [`${denied.host}/a`, 'mirror.invalid/b'] });

    await expect(source.resolve(ctx, 'v1')).rejects.toMatchObject({
      code: 'REGISTRY_DENIED',
      message: expect.stringMatching(
        /3 places: .*\/a\/app: .*not yours.*\[REGISTRY_DENIED\]; mirror\.invalid\/b\/app: .*\[NAME_UNRESOLVED\]; upstream\.invalid/s,
      ),
    });
  });

  test('says which mirror lacks the image when the source cannot be reached', async () => {
    const empty = await startScriptedRegistry();
    const source = await through({ mirrors: [`${empty.host}/a`] });

    await expect(source.resolve(ctx, 'v1')).rejects.toMatchObject({
      code: 'NAME_UNRESOLVED',
      hint: expect.stringContaining(`Put the image into ${empty.host}/a/app`),
    });
  });

  test('gives undefined only when every place said that it has none', async () => {
    const [one, two] = [await startScriptedRegistry(), await startScriptedRegistry()];
    const source = await through({ mirrors: [`${one.host}/a`], source: `${two.host}/org` });

    expect(await source.resolve(ctx, 'v1')).toBeUndefined();
    expect(source.endpoint).toBeUndefined();
  });

  test('asks digest-only mirrors for digests and not for tags', async () => {
    const mirror = await holding('mirror/app');
    const upstream = await holding('org/app');
    const options = {
      mirrors: [`${mirror.host}/mirror`],
      source: `${upstream.host}/org`,
      more: 'mirror-by-digest-only = true',
    };

    const byTag = await through(options);
    await byTag.resolve(ctx, 'v1');
    const byDigest = await through(options);
    await byDigest.manifest(ctx, DESCRIPTOR);

    expect(byTag.endpoint).toBe(`${upstream.host}/org/app`);
    expect(byDigest.endpoint).toBe(`${mirror.host}/mirror/app`);
  });

  test('never contacts a blocked source', async () => {
    const source = await through({
      mirrors: [],
      source: 'upstream.example.com/org',
      more: 'blocked = true',
    });

    await expect(source.resolve(ctx, 'v1')).rejects.toMatchObject({ code: 'REGISTRY_BLOCKED' });
  });
});

describe('a push', () => {
  test('never contacts a blocked registry either', async () => {
    const registry = await startScriptedRegistry();
    const path = join(await tempDir(), 'registries.conf');
    await writeFile(path, `[[registry]]\nlocation = "${registry.host}/org"\nblocked = true\n`);
    const registries = openRegistries({ registriesConf: path });
    const bytes = Buffer.from('layer');
    const put = (repository: string) =>
      registries
        .repository(registry.host, repository)
        .putBlob(ctx, describeBytes(bytes), once(bytes));

    await expect(put('org/app')).rejects.toMatchObject({ code: 'REGISTRY_BLOCKED' });
    expect(registry.seen).toEqual([]);
    await put('other/app');
  });
});
