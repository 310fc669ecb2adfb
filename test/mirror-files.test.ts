import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseImageSet } from '../src/content/image-set/parse-image-set.ts';
import { silentContext } from '../src/core/context.ts';
import { createWeb } from '../src/http/web.ts';
import { parseDestination } from '../src/mirror/destination.ts';
import { loadBundle } from '../src/mirror/flow/load.ts';
import { saveBundle } from '../src/mirror/flow/save.ts';
import { WorkingDir } from '../src/mirror/flow/working-dir.ts';
import { createRegistries } from '../src/remote/create-registries.ts';
import type { Registries } from '../src/remote/registries.ts';
import { type EmbeddedRegistry, startEmbeddedRegistry } from './support/embedded-registry.ts';
import { describeWithPeers } from './support/peers.ts';

const ctx = silentContext();
const ISO = Buffer.from('a live image '.repeat(20_000));
const hex = (bytes: Uint8Array | string) => createHash('sha256').update(bytes).digest('hex');

describeWithPeers(['curl'], 'files that an image set asks for', () => {
  let mirror: EmbeddedRegistry;
  let registries: Registries;
  let address: string;
  let folder = '';
  const web = createWeb();

  beforeAll(async () => {
    mirror = await startEmbeddedRegistry();
    registries = createRegistries({ insecure: true, env: {} });
    folder = await mkdtemp(join(tmpdir(), 'atoll-files-'));
    const image = join(folder, 'live.iso');
    await writeFile(image, ISO);
    const disk = { location: `file://${image}`, sha256: hex(ISO) };
    const metal = { release: '9.6.1-0', formats: { iso: { disk } } };
    const stream = { architectures: { x86_64: { artifacts: { metal } } } };
    await writeFile(join(folder, 'stream.json'), JSON.stringify(stream));
    await mkdir(join(folder, 'repo', 'repodata'), { recursive: true });
    await writeFile(join(folder, 'repo', 'repodata', 'repomd.xml'), '<repomd/>');
    await writeFile(join(folder, 'repo', 'a b.rpm'), 'package');
    const yaml = `apiVersion: mirror.openshift.io/v2alpha1
kind: ImageSetConfiguration
mirror:
  atoll:
    bootImages:
    - formats: [metal/iso]
      stream: stream.json
    files:
    - name: baseos
      path: repo
      targetRepo: rpm/baseos
`;
    const imageSet = parseImageSet(yaml, join(folder, 'imageset.yaml'));
    const bundle = join(folder, 'bundle');
    const collect = {
      source: registries.source.bind(registries),
      web,
      downloads: join(folder, 'downloads'),
    };
    const saved = await saveBundle(ctx, {
      imageSet,
      folder: bundle,
      chunkBytes: 100_000,
      workingDir: new WorkingDir(join(folder, 'outside')),
      registries,
      collect,
    });
    expect(saved.report.failed).toBe(0);
    const loaded = await loadBundle(ctx, {
      folder: bundle,
      destination: parseDestination(`${mirror.host}/ocp`),
      workingDir: new WorkingDir(join(folder, 'inside')),
      registries,
    });
    expect(loaded.report.failed).toBe(0);
    address = `${mirror.url}/files/ocp`;
  });
  afterAll(async () => {
    web.close();
    await registries?.close();
    await mirror?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const curl = async (...args: string[]): Promise<Buffer> =>
    (await promisify(execFile)('curl', ['-sS', ...args], { encoding: 'buffer' })).stdout;

  test('cross the gap and are served to machines that boot', async () => {
    const iso = `${address}/files/rhcos:9.6.1-0-x86_64/live.iso`;

    expect((await curl('-f', iso)).equals(ISO)).toBe(true);
    expect((await curl('-f', '-r', '100-199', iso)).equals(ISO.subarray(100, 200))).toBe(true);
    expect((await curl('-I', iso)).toString()).toContain(`content-length: ${ISO.length}`);
  });

  test('keep their paths, as package managers need them, and have sums', async () => {
    const repository = `${address}/rpm/baseos:latest`;

    expect((await curl('-f', `${repository}/repodata/repomd.xml`)).toString()).toBe('<repomd/>');
    expect((await curl('-f', `${repository}/a%20b.rpm`)).toString()).toBe('package');
    const sums = (await curl('-f', `${repository}/SHA256SUMS`)).toString();
    expect(sums).toContain(`${hex('package')}  a b.rpm\n`);
    expect((await curl('-f', `${repository}/`)).toString()).toBe(sums);
  });

  test('are artifacts of the registry, with where they came from', async () => {
    const repository = registries.repository(mirror.host, 'ocp/files/rhcos');
    const root = await repository.resolve(ctx, '9.6.1-0-x86_64');
    const manifest = root && (await repository.manifest(ctx, root));

    expect(JSON.parse(manifest?.bytes.toString() ?? '{}')).toMatchObject({
      artifactType: 'application/vnd.atoll.files.v1',
      layers: [{ annotations: { 'dev.atoll.verified-by': 'stream.json' } }],
    });
  });

  test('that are not there are not found, and neither are layers without a name', async () => {
    const status = async (path: string) =>
      (await curl('-o', '/dev/null', '-w', '%{http_code}', `${address}/${path}`)).toString();

    expect(await status('rpm/baseos:latest/none')).toBe('404');
    expect(await status('rpm/baseos:latest/../../../etc/passwd')).toBe('404');
    expect(await status('rpm/none:latest/a')).toBe('404');
    expect(await status('RPM:latest/a')).toBe('400');
  });
});
