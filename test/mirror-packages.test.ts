import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { parseImageSet } from '../src/content/image-set/parse-image-set.ts';
import { silentContext } from '../src/core/context.ts';
import { createWeb } from '../src/http/web.ts';
import { parseDestination } from '../src/mirror/destination.ts';
import { syncMirror } from '../src/mirror/flow/sync.ts';
import { WorkingDir } from '../src/mirror/flow/working-dir.ts';
import { createRegistries } from '../src/remote/create-registries.ts';
import { type EmbeddedRegistry, startEmbeddedRegistry } from './support/embedded-registry.ts';
import { describeWithPeers } from './support/peers.ts';

const run = promisify(execFile);
const ctx = silentContext();
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

describeWithPeers(['apt-get', 'xz'], 'a deb repository that was mirrored as files', () => {
  vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });
  let folder: string;
  let upstream: Server;
  let mirror: EmbeddedRegistry;
  const served = new Map<string, Buffer>();

  /** A package as dpkg makes it, and how the index of a repository describes it. */
  async function makePackage(name: string) {
    const root = join(folder, name);
    await mkdir(join(root, 'DEBIAN'), { recursive: true });
    await chmod(root, 0o755);
    const control = `Package: ${name}\nVersion: 1.0+atoll~1\nArchitecture: all\nMaintainer: a <a@example.test>\nDescription: a\n`;
    await writeFile(join(root, 'DEBIAN', 'control'), control);
    await run('dpkg-deb', ['--build', '--root-owner-group', root, `${root}.deb`]);
    const bytes = await readFile(`${root}.deb`);
    const path = `pool/main/${name}_1.0+atoll~1_all.deb`;
    served.set(`/${path}`, bytes);
    return `${control}Filename: ${path}\nSize: ${bytes.length}\nSHA256: ${sha256(bytes)}\n`;
  }

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'atoll-packages-'));
    const list = (await Promise.all(['tool', 'other'].map(makePackage))).join('\n');
    await writeFile(join(folder, 'Packages'), list);
    await run('xz', ['--keep', join(folder, 'Packages')]);
    const forms = { '.gz': gzipSync(list), '.xz': await readFile(join(folder, 'Packages.xz')) };
    for (const [suite, endings] of [
      ['stable', ['.gz', '.xz']],
      ['security', ['.xz']],
    ] as const) {
      const sums = endings.map((ending) => {
        const path = `main/binary-amd64/Packages${ending}`;
        served.set(`/dists/${suite}/${path}`, forms[ending]);
        return ` ${sha256(forms[ending])} ${forms[ending].length} ${path}\n`;
      });
      // The plain index is listed and, as with Debian, not there.
      sums.push(` ${sha256(Buffer.from(list))} ${list.length} main/binary-amd64/Packages\n`);
      const head = `Suite: ${suite}\nCodename: ${suite}\nArchitectures: amd64\nComponents: main\nAcquire-By-Hash: yes\n`;
      const release = `${head}Date: Thu, 01 Jan 2026 00:00:00 UTC\nSHA256:\n${sums.join('')}`;
      served.set(`/dists/${suite}/Release`, Buffer.from(release));
    }
    upstream = createServer((request, response) => {
      const bytes = served.get(decodeURIComponent(request.url ?? ''));
      response.statusCode = bytes ? 200 : 404;
      response.end(bytes);
    });
    await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
    mirror = await startEmbeddedRegistry();
  });
  afterAll(async () => {
    upstream?.close();
    await mirror?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  async function sync(): Promise<void> {
    const url = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
    const repository = { name: 'debian', type: 'deb', url, suites: ['stable', 'security'] };
    const set = {
      apiVersion: 'mirror.openshift.io/v2alpha1',
      kind: 'ImageSetConfiguration',
      mirror: { atoll: { repositories: [{ ...repository, packages: ['tool'] }] } },
    };
    const registries = createRegistries({ insecure: true, env: {} });
    const web = createWeb();
    const { report } = await syncMirror(ctx, {
      imageSet: parseImageSet(JSON.stringify(set), join(folder, 'set.yaml')),
      collect: { source: registries.source.bind(registries), web, downloads: join(folder, 'kept') },
      destination: parseDestination(`${mirror.host}/ocp`),
      registries,
      workingDir: new WorkingDir(join(folder, 'memory')),
    });
    web.close();
    await registries.close();
    expect([report.failed, report.notCollected]).toEqual([0, []]);
  }

  test.each(['stable', 'security'])('is read by the real apt (%s)', async (suite) => {
    await sync();
    const root = join(folder, `apt-${suite}`);
    const place = `${mirror.url}/files/ocp/files/debian:latest`;
    for (const name of ['lists/partial', 'cache/archives/partial', 'etc/preferences.d'])
      await mkdir(join(root, name), { recursive: true });
    await writeFile(join(root, 'sources.list'), `deb [trusted=yes] ${place} ${suite} main\n`);
    await writeFile(join(root, 'status'), '');
    const options = {
      'Dir::Etc': join(root, 'etc'),
      'Dir::Etc::sourcelist': join(root, 'sources.list'),
      'Dir::State': root,
      'Dir::State::status': join(root, 'status'),
      'Dir::Cache': join(root, 'cache'),
      'APT::Sandbox::User': 'root',
      'APT::Architecture': 'amd64',
      'Acquire::http::Proxy': 'DIRECT',
    };
    const words = Object.entries(options).flatMap(([name, value]) => ['-o', `${name}=${value}`]);
    const apt = (...args: string[]) =>
      run('apt-get', [...words, ...args], { cwd: root, env: { PATH: process.env.PATH } });

    await apt('update');
    await apt('download', 'tool');

    const { stdout } = await run('dpkg-deb', ['--field', join(root, FILE), 'Package']);
    expect(stdout.trim()).toBe('tool');
    await expect(apt('download', 'other')).rejects.toThrow('404');
  });
});

/** apt keeps what a version holds besides letters under its own name. */
const FILE = 'tool_1.0+atoll~1_all.deb';
