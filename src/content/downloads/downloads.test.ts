import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { releaseWith } from '../../../test/support/made-release.ts';
import { tempDir } from '../../../test/support/temp.ts';
import { collect } from '../../core/bytes.ts';
import { silentContext } from '../../core/context.ts';
import { createWeb } from '../../http/web.ts';
import { digestOf } from '../../oci/digest.ts';
import { parseReference } from '../../oci/reference.ts';
import { parseImageSet } from '../image-set/parse-image-set.ts';
import { bootFiles, streamOf } from './boot-images.ts';
import { collectDownloads } from './collect-downloads.ts';
import { fetchFile } from './fetch-file.ts';
import { findTool, placesOf } from './known-tools.ts';
import { repositoryFiles, type WantedRepository } from './package-repository.ts';
import { sumIn } from './sums.ts';

const ctx = silentContext();
const web = createWeb();
const served = new Map<string, Buffer>();
const ranges: (string | undefined)[] = [];
const server = createServer((request, response) => {
  const body = served.get(request.url ?? '');
  ranges.push(request.headers.range);
  const start = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0);
  if (!body) response.writeHead(404).end();
  else if (start >= body.length && start > 0) response.writeHead(416).end();
  else if (start === 0) response.writeHead(200).end(body);
  else {
    const range = `bytes ${start}-${body.length - 1}/${body.length}`;
    response.writeHead(206, { 'content-range': range }).end(body.subarray(start));
  }
});
let base = '';

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  web.close();
  server.close();
});

const hex = (bytes: Uint8Array | string) => createHash('sha256').update(bytes).digest('hex');

function serve(path: string, content: Buffer | string): string {
  served.set(path, Buffer.from(content));
  return `${base}${path}`;
}

describe('fetchFile', () => {
  const content = Buffer.from('a boot image '.repeat(1000));
  const sum = { sha256: hex(content), by: 'a test' };
  const wanted = (url: string) => ({ path: 'image.iso', url, sum });

  test('goes on where a download was cut, and fetches nothing twice', async () => {
    const folder = await tempDir();
    const url = serve('/image.iso', content);
    const { file } = await fetchFile(ctx, { web, folder }, wanted(url));
    await writeFile(`${file}.partial`, content.subarray(0, 5000));
    await writeFile(file, 'damaged');
    ranges.length = 0;

    const again = await fetchFile(ctx, { web, folder }, wanted(url));
    await fetchFile(ctx, { web, folder }, wanted(url));

    expect(again).toMatchObject({ digest: digestOf(content), verifiedBy: 'a test', origin: url });
    expect(await readFile(file)).toEqual(content);
    expect(ranges).toEqual(['bytes=5000-']);
  });

  test('starts anew when the first half belongs to something else', async () => {
    const folder = await tempDir();
    const url = serve('/image.iso', content);
    const { file } = await fetchFile(ctx, { web, folder }, wanted(url));
    await writeFile(file, 'damaged');
    await writeFile(`${file}.partial`, Buffer.alloc(content.length + 10));

    const again = await fetchFile(ctx, { web, folder }, wanted(url));

    expect(again.digest).toBe(digestOf(content));
  });

  test('refuses other bytes than the sum says, and keeps none of them', async () => {
    const folder = await tempDir();
    const url = serve('/image.iso', 'something else');

    await expect(fetchFile(ctx, { web, folder }, wanted(url))).rejects.toMatchObject({
      code: 'CONTENT_MISMATCH',
    });
    expect(await readdir(folder)).toEqual([]);
  });

  test('says that there is nothing', async () => {
    const folder = await tempDir();
    const nowhere = fetchFile(ctx, { web, folder }, wanted(`${base}/nothing`));
    await expect(nowhere).rejects.toMatchObject({ code: 'INPUT_INVALID' });
  });
});

test('sumIn reads what sha256sum writes, and a bare sum', () => {
  const [a, b] = [hex('a'), hex('b')];

  expect(sumIn(`${a}  other\n${b} *dir/tool.tar.gz\n`, 'tool.tar.gz')).toBe(b);
  expect(sumIn(`${a}\n`, 'tool.tar.gz')).toBe(a);
  expect(sumIn(`${a}  other\n`, 'tool.tar.gz')).toBeUndefined();
});

describe('findTool', () => {
  /** What is published, by address: the sums of a folder, as far as they matter. */
  const published = (sums: Readonly<Record<string, readonly string[]>>) => ({
    get: async (_ctx: unknown, url: string) => {
      const names = sums[url];
      return names && Buffer.from(names.map((name) => `${hex(name)}  ${name}\n`).join(''));
    },
  });
  const at = (tree: string) => `https://mirror.openshift.com/pub/${tree}/sha256sum.txt`;
  const opm = (version: string, machine = 'amd64') => ({ name: 'opm', version, machine });

  test('takes the name that the sums list, and the build for the oldest RHEL', async () => {
    const sums = at('openshift-v4/aarch64/clients/ocp/4.22.13');
    const names = ['opm-linux-4.22.13.tar.gz', 'opm-linux-rhel9-4.22.13.tar.gz'];

    const both = await findTool(ctx, published({ [sums]: names }), opm('4.22.13', 'arm64'));
    const one = await findTool(ctx, published({ [sums]: names.slice(1) }), opm('4.22.13', 'arm64'));

    expect(both).toEqual({
      path: 'arm64/opm-linux-4.22.13.tar.gz',
      url: sums.replace('sha256sum.txt', 'opm-linux-4.22.13.tar.gz'),
      sum: { sha256: hex('opm-linux-4.22.13.tar.gz'), by: sums },
    });
    expect(one.path).toBe('arm64/opm-linux-rhel9-4.22.13.tar.gz');
  });

  test.each([
    ['5.0.3', 'openshift-v5/x86_64/clients/ocp/5.0.3'],
    ['5.0.0-rc.4', 'openshift-v4/x86_64/clients/ocp/5.0.0-rc.4'],
    ['4.22.0-ec.1', 'openshift-v4/x86_64/clients/ocp-dev-preview/4.22.0-ec.1'],
  ])('finds %s in %s', async (version, folder) => {
    const web = published({ [at(folder)]: ['oc-mirror.rhel9.tar.gz'] });

    const { url } = await findTool(ctx, web, { name: 'oc-mirror', version, machine: 'amd64' });

    expect(url).toBe(at(folder).replace('sha256sum.txt', 'oc-mirror.rhel9.tar.gz'));
  });

  test.each([
    ['tkn', '0.41.0', 'arm64', 'pipeline/0.41.0', 'tkn-linux-arm64.tar.gz'],
    ['tkn', '0.19.1', 'amd64', 'pipeline/0.19.1', 'tkn-linux-amd64-0.19.1.tar.gz'],
    [
      'coreos-installer',
      'v0.24.0-1',
      'arm64',
      'coreos-installer/v0.24.0-1',
      'coreos-installer_arm64',
    ],
    ['coreos-installer', '0.8.0-3', 'amd64', 'coreos-installer/v0.8.0-3', 'coreos-installer'],
  ])('finds %s %s for %s', async (name, version, machine, folder, file) => {
    const sums = at(`openshift-v4/clients/${folder}`);

    const found = await findTool(ctx, published({ [sums]: [file] }), { name, version, machine });

    expect(found.url).toBe(sums.replace('sha256sum.txt', file));
  });

  test('names where it looked for what is nowhere', async () => {
    await expect(findTool(ctx, published({}), opm('4.99.0'))).rejects.toMatchObject({
      code: 'INPUT_INVALID',
      hint: expect.stringContaining(at('openshift-v4/x86_64/clients/ocp/4.99.0')) as string,
    });
  });

  test('knows helm by its own sums, and leaves what is in a release alone', () => {
    const file = 'helm-v3.17.0-linux-arm64.tar.gz';

    expect(placesOf('helm', 'v3.17.0', 'arm64')).toEqual([
      { sums: `https://get.helm.sh/${file}.sha256sum`, files: [file] },
    ]);
    expect(placesOf('oc', '4.21.3', 'amd64')).toEqual([]);
  });
});

const disk = (name: string) => ({
  disk: { location: `https://rhcos.test/${name}`, sha256: hex(name) },
});
const STREAM = {
  stream: 'rhel-9.6',
  architectures: {
    x86_64: {
      artifacts: {
        metal: {
          release: '9.6.20251023-0',
          formats: {
            iso: disk('live.iso'),
            pxe: {
              kernel: { location: 'https://rhcos.test/kernel', sha256: hex('k') },
              rootfs: { location: 'https://rhcos.test/rootfs.img', sha256: hex('r') },
            },
          },
        },
      },
    },
  },
};

const bootImagesOf = (stream: object) =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'coreos-bootimages' },
    data: { stream: JSON.stringify(stream) },
  });

describe('boot images', () => {
  test('are those that the release names', () => {
    const text = bootImagesOf(STREAM);
    const manifests = new Map([['0000_50_bootimages.yaml', { bytes: Buffer.from(text) }]]);
    const payload = { version: '4.21.3', manifests };

    const found = bootFiles(
      streamOf(payload),
      'amd64',
      ['metal/iso', 'metal/pxe'],
      'release 4.21.3',
    );

    expect(found).toMatchObject({ release: '9.6.20251023-0', architecture: 'x86_64' });
    expect(found.files.map(({ path }) => path)).toEqual(['live.iso', 'kernel', 'rootfs.img']);
    expect(found.files[0]?.sum).toEqual({ sha256: hex('live.iso'), by: 'release 4.21.3' });
    expect(() => streamOf({ version: '4.1.0', manifests: new Map() })).toThrow('4.1.0');
  });

  test('that are not there are refused with those that are', () => {
    expect(() => bootFiles(STREAM, 'amd64', ['metal/raw'], '')).toThrow(
      expect.objectContaining({ hint: 'There are metal/iso, metal/pxe' }) as Error,
    );
  });
});

describe('repositoryFiles', () => {
  const common = { suites: [], components: ['main'], architectures: ['amd64'], packages: [] };

  function serveRpm(folder: string, packages: readonly [string, string][]): string {
    const list = packages.map(
      ([name, arch]) =>
        `<package type="rpm"><name>${name}</name><arch>${arch}</arch><checksum type="sha256" pkgid="YES">${hex(name)}</checksum><location href="Packages/${name}.${arch}.rpm"/></package>`,
    );
    const primary = gzipSync(`<metadata>${list.join('\n')}</metadata>`);
    serve(`${folder}/repodata/primary.xml.gz`, primary);
    const data = `<data type="primary"><checksum type="sha256">${hex(primary)}</checksum><location href="repodata/primary.xml.gz"/></data>`;
    serve(`${folder}/repodata/repomd.xml`, `<repomd>${data}</repomd>`);
    return `${base}${folder}/`;
  }

  test('names indexes and packages of an RPM repository, with their sums', async () => {
    const url = serveRpm('/rpm', [
      ['bash', 'x86_64'],
      ['tzdata', 'noarch'],
      ['other', 'aarch64'],
    ]);
    const wanted: WantedRepository = { ...common, type: 'rpm', url };

    const files = await repositoryFiles(ctx, web, wanted);
    const chosen = await repositoryFiles(ctx, web, { ...wanted, packages: ['bash'] });

    expect(files.map(({ path }) => path)).toEqual([
      'repodata/repomd.xml',
      'repodata/primary.xml.gz',
      'Packages/bash.x86_64.rpm',
      'Packages/tzdata.noarch.rpm',
    ]);
    expect(files.at(-1)?.sum?.sha256).toBe(hex('tzdata'));
    expect(chosen.map(({ path }) => path)).not.toContain('Packages/tzdata.noarch.rpm');
  });

  test('names those of a deb repository', async () => {
    const packages = gzipSync(
      `Package: curl\nVersion: 8\nFilename: pool/c/curl.deb\nSHA256: ${hex('curl')}\n\nPackage: vim\nFilename: pool/v/vim.deb\nSHA256: ${hex('vim')}\n`,
    );
    serve('/deb/dists/stable/main/binary-amd64/Packages.gz', packages);
    serve('/deb/dists/stable/InRelease', 'signed');
    serve(
      '/deb/dists/stable/Release',
      `Origin: test\nMD5Sum:\n 00 1 x\nSHA256:\n ${hex(packages)} ${packages.length} main/binary-amd64/Packages.gz\n`,
    );
    const url = `${base}/deb`;

    const files = await repositoryFiles(ctx, web, {
      ...common,
      type: 'deb',
      url,
      suites: ['stable'],
    });

    expect(files.map(({ path }) => path)).toEqual([
      'dists/stable/Release',
      'dists/stable/InRelease',
      'dists/stable/main/binary-amd64/Packages.gz',
      'pool/c/curl.deb',
      'pool/v/vim.deb',
    ]);
  });

  test('refuses an index that was altered, and one that leads outside', async () => {
    const url = serveRpm('/altered', [['bash', 'x86_64']]);
    const outside = serveRpm('/outside', [['../../../etc/passwd', 'x86_64']]);
    serve('/altered/repodata/primary.xml.gz', gzipSync('<metadata/>'));
    const files = (from: string) =>
      repositoryFiles(ctx, web, { ...common, type: 'rpm', url: from });

    await expect(files(url)).rejects.toThrow('another sum');
    await expect(files(outside)).rejects.toThrow('outside');
  });
});

const HEAD =
  'apiVersion: mirror.openshift.io/v2alpha1\nkind: ImageSetConfiguration\nmirror:\n  atoll:\n';

describe('collectDownloads', () => {
  const deps = async () => ({
    web,
    downloads: await tempDir(),
    source: () => {
      throw new Error('no registry is asked');
    },
  });

  test('makes one artifact of a folder, the same each time, with sums and origin', async () => {
    const folder = await tempDir();
    await mkdir(join(folder, 'tree', 'deep'), { recursive: true });
    await writeFile(join(folder, 'tree', 'deep', 'b'), 'bytes');
    await writeFile(join(folder, 'tree', 'a'), 'other');
    const yaml = `${HEAD}    files:\n    - name: scripts\n      path: tree\n      targetTag: v1\n`;
    const set = parseImageSet(yaml, join(folder, 'set.yaml'));

    const { images, failures } = await collectDownloads(ctx, set, [], await deps());
    const twice = await collectDownloads(ctx, set, [], await deps());

    expect(failures).toEqual([]);
    const [image] = images;
    expect(image).toMatchObject({
      kind: 'file',
      targetRepository: 'files/scripts',
      targetTag: 'v1',
    });
    expect(twice.images[0]?.digest).toBe(image?.digest);
    const root = await image?.from?.resolve(ctx, '');
    const manifest = root && (await image?.from?.manifest(ctx, root));
    const layers = manifest?.children.filter(({ annotations }) => annotations);
    expect(
      layers?.map(({ annotations }) => annotations?.['org.opencontainers.image.title']),
    ).toEqual(['a', 'deep/b']);
    const bytes = layers?.[1] && image?.from && (await collect(image.from.blob(ctx, layers[1])));
    expect(bytes?.toString()).toBe('bytes');
  });

  test('says that a folder has too many files for one artifact', async () => {
    const folder = await tempDir();
    await mkdir(join(folder, 'tree'));
    for (let count = 0; count <= 6000; count += 1)
      writeFileSync(join(folder, 'tree', `${count}`), '');
    const yaml = `${HEAD}    files:\n    - name: many\n      path: tree\n`;
    const set = parseImageSet(yaml, join(folder, 'set.yaml'));

    const { images, failures } = await collectDownloads(ctx, set, [], await deps());

    expect(images).toEqual([]);
    expect(failures[0]?.message).toContain('6001 files');
  });

  test('goes on with the rest when one thing cannot be had', async () => {
    const url = serve('/tool.tar.gz', 'tool');
    const sums = serve('/sums.txt', `${hex('tool')}  tool.tar.gz\n`);
    const yaml = `${HEAD}    files:
    - name: tool
      url: ${url}
      sums: ${sums}
    - name: gone
      url: ${base}/gone
    tools:
    - name: oc
`;
    const { images, failures } = await collectDownloads(
      ctx,
      parseImageSet(yaml, 'set.yaml'),
      [],
      await deps(),
    );

    expect(images.map(({ targetRepository }) => targetRepository)).toEqual(['files/tool']);
    expect(failures.map(({ subject }) => subject)).toEqual(['file gone', 'tool oc']);
  });

  test('takes programs and boot images of each release', async () => {
    const url = serve('/live.iso', 'live');
    const formats = { iso: { disk: { location: url, sha256: hex('live') } } };
    const artifacts = { metal: { release: '9.6.1-0', formats } };
    const { images: registry, descriptor } = await releaseWith(
      { cli: [{ name: 'usr/bin/oc', content: 'oc', mode: 0o755 }] },
      { 'bootimages.yaml': bootImagesOf({ architectures: { x86_64: { artifacts } } }) },
    );
    const name = 'mirror.test/ocp/release-images:4.18.1-x86_64';
    const { digest } = descriptor;
    const release = { kind: 'release' as const, source: parseReference(name), digest, reason: '' };
    const yaml = `${HEAD}    tools:\n    - name: oc\n    bootImages:\n    - formats: [metal/iso]\n`;
    const world = { ...(await deps()), source: () => registry };

    const { images, failures } = await collectDownloads(
      ctx,
      parseImageSet(yaml, 'set.yaml'),
      [release],
      world,
    );

    expect(failures).toEqual([]);
    expect(images).toMatchObject([
      { targetRepository: 'files/oc', targetTag: '4.18.1-x86_64', reason: 'oc of release 4.18.1' },
      {
        targetRepository: 'files/rhcos',
        targetTag: '9.6.1-0-x86_64',
        reason: 'boot images by release 4.18.1',
      },
    ]);
  });
});
