// npm run bench catalog [-- --rounds N --packages N --against PROGRAM]: a dry run of ten packages of a catalog as large as Red Hat's.
// With oc-mirror as PROGRAM both run in turn; the first round of each, which fetches the catalog, is not counted.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import { compare } from './compare.mjs';
import { freePort, startDockerRegistry } from './mirror/processes.mjs';
import { publish, pushBlob, pushManifest, SMALL } from './mirror/workload.mjs';

const CLI = join(import.meta.dirname, '..', 'dist', 'cli', 'main.js');
const CATALOG = 'redhat/redhat-operator-index';
const VERSIONS = 12;
const WANTED = 10;
const OPERANDS = 40;

export async function run(args) {
  const { values } = parseArgs({
    args,
    options: {
      rounds: { type: 'string', default: '5' },
      packages: { type: 'string', default: '190' },
      against: { type: 'string' },
    },
  });
  const folder = await mkdtemp(join(tmpdir(), 'atoll-bench-catalog-'));
  const registries = [];
  try {
    for (const name of ['source', 'target'])
      registries.push(await startDockerRegistry(join(folder, name)));
    const [source] = registries;
    const { images } = await publish(source.url, { ...SMALL, images: OPERANDS });
    const operands = images.map(({ repository, digest }) => {
      return `${source.host}/${repository}@${digest}`;
    });
    const bytes = await publishCatalog(folder, source, Number(values.packages), operands);
    console.log(`a catalog of ${values.packages} packages, ${(bytes / 1e6).toFixed(0)} MB`);
    const commands = await commandsOf(folder, registries, values);
    const missed = compare(commands, Number(values.rounds), folder, 'seconds', [
      ['sync', 'ocMirror', 1],
    ]);
    return missed ? 1 : 0;
  } finally {
    for (const registry of registries) await registry.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

async function commandsOf(folder, [source, target], { against, packages }) {
  const set = join(folder, 'imageset.yaml');
  const step = Math.floor(Number(packages) / WANTED);
  const names = Array.from(
    { length: WANTED },
    (_, index) => `    - name: ${nameOf(index * step)}\n`,
  );
  await writeFile(
    set,
    `kind: ImageSetConfiguration\napiVersion: mirror.openshift.io/v2alpha1\nmirror:\n  operators:\n  - catalog: ${source.host}/${CATALOG}:v4.18\n    packages:\n${names.join('')}`,
  );
  const to = `docker://${target.host}/ocp`;
  const words = ['mirror', 'sync', '-c', set, '--dry-run', '--insecure', '--to', to];
  const sync = [process.execPath, CLI, ...words, '--dir', join(folder, 'atoll')];
  if (!against) return { sync };
  const home = join(folder, 'oc-mirror');
  await mkdir(home);
  const open = ['--src-tls-verify=false', '--dest-tls-verify=false', '--remove-signatures'];
  const own = ['--cache-dir', home, '--port', String(await freePort())];
  const workspace = ['--workspace', `file://${join(home, 'workspace')}`];
  const ocMirror = [against, '--v2', '-c', set, '--dry-run', ...open, ...own, ...workspace, to];
  return { sync, ocMirror };
}

async function publishCatalog(folder, { url }, packages, operands) {
  let bytes = 0;
  for (let index = 0; index < packages; index += 1) {
    const text = documentsOf(index, operands)
      .map((document) => JSON.stringify(document, undefined, 4))
      .join('\n');
    bytes += text.length;
    const place = join(folder, 'configs', nameOf(index));
    await mkdir(place, { recursive: true });
    await writeFile(join(place, 'catalog.json'), text);
  }
  const file = join(folder, 'configs.tar');
  spawnSync('tar', ['-cf', file, '-C', folder, 'configs']);
  const tar = await readFile(file);
  const layer = blobOf(gzipSync(tar));
  const config = blobOf(JSON.stringify(imageConfig(blobOf(tar).digest)));
  for (const blob of [layer, config]) await pushBlob(url, CATALOG, blob);
  await pushManifest(new URL(`/v2/${CATALOG}/manifests/v4.18`, url), { config, layers: [layer] });
  return bytes;
}

function blobOf(content) {
  const bytes = Buffer.from(content);
  const digest = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
  return { bytes, digest, size: bytes.length };
}

const imageConfig = (diffId) => ({
  architecture: 'amd64',
  os: 'linux',
  config: { Labels: { 'operators.operatorframework.io.index.configs.v1': '/configs' } },
  rootfs: { type: 'layers', diff_ids: [diffId] },
  history: [{ created_by: 'bench' }],
});

const nameOf = (index) => `operator-${index}`;
const bundleOf = (name, minor) => `${name}.v1.${minor}.0`;
const minors = Array.from({ length: VERSIONS }, (_, minor) => minor);

/** A package with two channels, all of whose versions have long descriptions and examples. */
function documentsOf(index, operands) {
  const name = nameOf(index);
  const entries = minors.map((minor) => ({
    name: bundleOf(name, minor),
    ...(minor > 0 ? { replaces: bundleOf(name, minor - 1) } : {}),
    skipRange: `<1.${minor}.0`,
  }));
  const icon = { base64data: Buffer.from(prose(9000)).toString('base64'), mediatype: 'image/png' };
  return [
    { schema: 'olm.package', name, defaultChannel: 'stable', icon, description: prose(400) },
    ...['stable', 'candidate'].map((channel) => {
      return { schema: 'olm.channel', package: name, name: channel, entries };
    }),
    ...minors.map((minor) =>
      bundleDocument(name, minor, (at) => operands[(index * 7 + at) % OPERANDS]),
    ),
  ];
}

function bundleDocument(name, minor, operand) {
  const kinds = Array.from({ length: 6 }, (_, at) => `Kind${at}`);
  const image = operand(minor);
  const apis = kinds.map((kind) => {
    return { type: 'olm.gvk', value: { group: `${name}.example.com`, kind, version: 'v1' } };
  });
  const related = kinds.map((_, at) => ({ name: `operand-${at}`, image: operand(minor * 5 + at) }));
  return {
    schema: 'olm.bundle',
    name: bundleOf(name, minor),
    package: name,
    image,
    properties: [
      { type: 'olm.package', value: { packageName: name, version: `1.${minor}.0` } },
      ...apis,
      { type: 'olm.csv.metadata', value: metadataOf(name, kinds) },
    ],
    relatedImages: [{ name: '', image }, ...related],
  };
}

function metadataOf(name, kinds) {
  const examples = [...kinds, ...kinds].map((kind) => ({ kind, spec: { text: prose(1000) } }));
  return {
    annotations: {
      'alm-examples': JSON.stringify(examples, undefined, 2),
      description: prose(200),
    },
    crdDescriptions: {
      owned: kinds.map((kind) => ({
        name: `${kind.toLowerCase()}.${name}.example.com`,
        description: prose(900),
        kind,
        version: 'v1',
      })),
    },
    description: prose(14_000),
    displayName: name,
    provider: { name: 'bench' },
  };
}

const WORDS =
  'operator cluster storage network service mesh pipeline secret certificate backup monitor node driver plugin console'.split(
    ' ',
  );
let seed = 7;

/** Words in no order, the same every time. */
function prose(length) {
  let text = '';
  while (text.length < length) {
    seed = (seed * 1_103_515_245 + 12_345) & 0x7fffffff;
    text += `${WORDS[(seed >> 8) % WORDS.length]}${(seed >> 16) % 9 === 0 ? '.\n\n## ' : ' '}`;
  }
  return text;
}
