import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { readImageSet } from '../src/content/image-set/parse-image-set.ts';
import { silentContext } from '../src/core/context.ts';
import { AtollError } from '../src/core/errors.ts';
import { createWeb } from '../src/http/web.ts';
import { readIndex } from '../src/mirror/bundle/bundle-index.ts';
import { copyImage } from '../src/mirror/copy-image.ts';
import { parseDestination } from '../src/mirror/destination.ts';
import { loadBundle } from '../src/mirror/flow/load.ts';
import { saveBundle } from '../src/mirror/flow/save.ts';
import { type SyncOptions, syncMirror } from '../src/mirror/flow/sync.ts';
import { WorkingDir } from '../src/mirror/flow/working-dir.ts';
import { parseImageLocation } from '../src/mirror/image-location.ts';
import { createRegistries } from '../src/remote/create-registries.ts';
import type { Registries } from '../src/remote/registries.ts';
import { collect, noise } from './support/bytes.ts';
import { copyImage as copyTree } from './support/copy-image.ts';
import { type EmbeddedRegistry, startEmbeddedRegistry } from './support/embedded-registry.ts';
import { MemoryImages } from './support/images.ts';
import { type MortalLine, startMortalLine } from './support/mortal-line.ts';
import { tempDir } from './support/temp.ts';

// Where images come from dies for good at many points of a run, and comes back for the next one. What is said to be
// there is whole each time; what is not is told; the same command finishes the work.

vi.setConfig({ testTimeout: 240_000 });

const DEATHS = 8;
const NAMES = ['one', 'two', 'three'] as const;
const ctx = silentContext();

let upstream: EmbeddedRegistry;
let mirror: EmbeddedRegistry;
let line: MortalLine;
let registries: Registries;
let folder: string;
let configuration: string;

beforeAll(async () => {
  [upstream, mirror] = [await startEmbeddedRegistry(), await startEmbeddedRegistry()];
  line = await startMortalLine(upstream.host);
  registries = createRegistries({ insecure: true, env: {}, tuning: { retry: { attempts: 1 } } });
  for (const [at, name] of NAMES.entries()) {
    const images = new MemoryImages();
    const content = Buffer.from(noise(40_000 * (at + 1)));
    const image = await images.addImage([await images.addLayer([{ name: 'data', content }])]);
    const target = registries.repository(upstream.host, `app/${name}`);
    await copyTree(images, target, image);
    await target.putManifest(ctx, await images.manifest(ctx, image), 'v1');
  }
  folder = await mkdtemp(join(tmpdir(), 'atoll-dies-'));
  configuration = join(folder, 'imageset.yaml');
  const names = NAMES.map((name) => `  - name: ${line.host}/app/${name}:v1\n`).join('');
  await writeFile(
    configuration,
    `apiVersion: mirror.openshift.io/v2alpha1\nkind: ImageSetConfiguration\nmirror:\n  additionalImages:\n${names}`,
  );
});
afterAll(async () => {
  await registries?.close();
  await line?.stop();
  await Promise.all([upstream?.stop(), mirror?.stop()]);
  await rm(folder, { recursive: true, force: true });
});

interface Flow {
  /** Does all of it, or throws, or says how much failed. */
  readonly run: (dir: string, place: string) => Promise<number>;
  /** Names that are said to be there. Whatever is claimed is read, and throws where it is not whole. */
  readonly claimed: (dir: string, place: string) => Promise<readonly string[]>;
}

/** Reads every byte of each image that a registry answers for. */
async function wholeAt(host: string, place: string): Promise<string[]> {
  const found: string[] = [];
  for (const name of NAMES) {
    const repository = registries.repository(host, `${place}/app/${name}`);
    const root = await repository.resolve(ctx, 'v1');
    if (!root) continue;
    const { children } = await repository.manifest(ctx, root);
    for (const child of children) await collect(repository.blob(ctx, child));
    found.push(name);
  }
  return found;
}

async function withTools<T>(work: (tools: SyncOptions) => Promise<T>, dir: string, place: string) {
  const web = createWeb({});
  try {
    return await work({
      imageSet: await readImageSet(configuration),
      collect: { source: (reference) => registries.source(reference), web },
      destination: parseDestination(`docker://${mirror.host}/${place}`),
      registries,
      workingDir: new WorkingDir(dir),
    });
  } finally {
    web.close();
  }
}

const sync: Flow = {
  run: (dir, place) =>
    withTools(async (tools) => (await syncMirror(ctx, tools)).report.failed, dir, place),
  claimed: (_dir, place) => wholeAt(mirror.host, place),
};

const save: Flow = {
  run: (dir, place) =>
    withTools(
      async ({ destination: _destination, ...tools }) => {
        const folder = join(dir, 'bundle');
        const { missing, images } = (await readIndex(folder).catch(() => undefined)) ?? {};
        // One that is whole is not saved again.
        if (images && !missing) return 0;
        return (await saveBundle(ctx, { ...tools, folder, chunkBytes: 50_000 })).report.failed;
      },
      dir,
      place,
    ),
  /** What a bundle names, loaded; and what it lacks is all that it does not name. */
  async claimed(dir, place) {
    const folder = join(dir, 'bundle');
    const index = await readIndex(folder).catch(() => undefined);
    if (!index) return [];
    const { images, missing = [] } = index;
    expect(images.length).toBeGreaterThan(0);
    expect(images.length + missing.length).toBe(NAMES.length);
    const destination = parseDestination(`docker://${mirror.host}/${place}`);
    const workingDir = new WorkingDir(await tempDir());
    const { report } = await loadBundle(ctx, { folder, destination, registries, workingDir });
    expect(report.failed).toBe(missing.length);
    return await wholeAt(mirror.host, place);
  },
};

const copyTo =
  (target: (dir: string, place: string) => string) => async (dir: string, place: string) => {
    for (const name of NAMES) {
      await copyImage(ctx, {
        from: parseImageLocation(`docker://${line.host}/app/${name}:v1`),
        to: parseImageLocation(target(dir, place).replace('NAME', name)),
        registries,
        platforms: [],
        sparse: false,
        signatures: true,
      });
    }
    return 0;
  };

const copy: Flow = {
  run: copyTo((_dir, place) => `docker://${mirror.host}/${place}/app/NAME:v1`),
  claimed: (_dir, place) => wholeAt(mirror.host, place),
};

const copyToLayout: Flow = {
  run: copyTo((dir) => `oci:${dir}/layout:NAME`),
  async claimed(dir) {
    const found: string[] = [];
    for (const name of NAMES) {
      const from = parseImageLocation(`oci:${dir}/layout:${name}`);
      const to = parseImageLocation(`dir:${await tempDir()}/copy`);
      const options = { from, to, registries, platforms: [], sparse: false, signatures: false };
      const copied = await copyImage(ctx, options).catch((error: AtollError) => error);
      if (!(copied instanceof Error)) found.push(name);
      else expect(copied.code).toBe('IMAGE_UNKNOWN');
    }
    return found;
  },
};

test.each(Object.entries({ sync, save, copy, 'copy to a layout': copyToLayout }))(
  'a source that dies at any point of %s is told; nothing is falsely there, and the next run ends it',
  async (name, { run, claimed }) => {
    const before = line.passed();
    expect(await run(await tempDir(), `${name.replaceAll(' ', '-')}/whole`)).toBe(0);
    const total = line.passed() - before;

    for (let death = 0; death < DEATHS; death += 1) {
      const [dir, place] = [await tempDir(), `${name.replaceAll(' ', '-')}/${death}`];
      line.dieAfter(Math.floor((total * death) / DEATHS));
      const outcome = await run(dir, place).catch((error: unknown) => error);
      line.mend();

      const there = await claimed(dir, place);
      if (outcome instanceof Error) expect(outcome).toBeInstanceOf(AtollError);
      if (outcome === 0) expect(there).toEqual(NAMES);
      else expect(there).not.toEqual(NAMES);
      expect(await run(dir, place)).toBe(0);
      expect(await claimed(dir, place)).toEqual(NAMES);
    }
  },
);

test('a bundle on a disk that goes away during a load is told, and what came is whole', async () => {
  const dir = await tempDir();
  const folder = join(dir, 'bundle');
  expect(await save.run(dir, 'load')).toBe(0);
  const { chunks } = await readIndex(folder);
  for (const [at, { file }] of chunks.entries()) {
    const place = `load/${at}`;
    const destination = parseDestination(`docker://${mirror.host}/${place}`);
    const load = async () =>
      (await loadBundle(ctx, { folder, destination, registries, workingDir: new WorkingDir(dir) }))
        .report.failed;
    await rename(join(folder, file), join(dir, file));
    const failed = await load();
    const there = await wholeAt(mirror.host, place);
    await rename(join(dir, file), join(folder, file));

    expect(failed).toBe(NAMES.length - there.length);
    expect(failed).toBeGreaterThan(0);
    expect(await load()).toBe(0);
    expect(await wholeAt(mirror.host, place)).toEqual(NAMES);
  }
});
