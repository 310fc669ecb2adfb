// npm run bench startup [-- --rounds N --images N]: what short commands cost, of what others take for the same.
// `mirror sync` with nothing to do against regsync, with and without the same checks; `--help` against Node itself.
import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { compare } from './compare.mjs';
import { startDockerRegistry } from './mirror/processes.mjs';
import { publish, SMALL } from './mirror/workload.mjs';

const CLI = join(import.meta.dirname, '..', 'dist', 'cli', 'main.js');

export async function run(args) {
  const { values } = parseArgs({
    args,
    options: {
      rounds: { type: 'string', default: '9' },
      images: { type: 'string', default: '60' },
    },
  });
  const rounds = Number(values.rounds);
  const folder = await mkdtemp(join(tmpdir(), 'atoll-bench-startup-'));
  const registries = [];
  try {
    for (const name of ['source', 'target'])
      registries.push(await startDockerRegistry(join(folder, name)));
    const { images } = await publish(registries[0].url, {
      ...SMALL,
      images: Number(values.images),
    });
    const commands = await writeCommands(folder, registries, images);
    return [
      compare(commands, rounds, folder, 'seconds', [
        ['sync', 'regsyncSame', 0.7],
        ['sync', 'regsync', 1.8],
      ]),
      compare(bareCommands(), rounds, folder, 'processor', [['help', 'node', 1.5]]),
    ].some((missed) => missed)
      ? 1
      : 0;
  } finally {
    for (const registry of registries) await registry.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

async function writeCommands(folder, [source, target], images) {
  const names = images.map(({ repository, tag }) => `${repository}:${tag}`);
  const set = join(folder, 'imageset.yaml');
  await writeFile(
    set,
    `kind: ImageSetConfiguration\napiVersion: mirror.openshift.io/v2alpha1\nmirror:\n  additionalImages:\n${names.map((name) => `  - name: ${source.host}/${name}\n`).join('')}`,
  );
  const words = ['mirror', 'sync', '-c', set, '--to', `docker://${target.host}`, '--insecure'];
  const sync = [process.execPath, CLI, ...words, '--dir', folder];
  const commands = { sync };
  if (spawnSync('regsync', ['version']).error) {
    console.error('regsync is not there (scripts/peers bench): sync is measured alone');
    return commands;
  }
  for (const [name, defaults] of Object.entries({
    regsync: {},
    regsyncSame: { digestTags: true, referrers: true },
  })) {
    const file = join(folder, `${name}.json`);
    await writeFile(file, JSON.stringify(regsyncFile(source, target, names, defaults)));
    commands[name] = ['regsync', 'once', '-c', file];
  }
  return commands;
}

const regsyncFile = (source, target, names, defaults) => ({
  version: 1,
  creds: [source, target].map(({ host }) => ({ registry: host, tls: 'disabled' })),
  defaults: { parallel: 4, ...defaults },
  sync: names.map((name) => ({
    source: `${source.host}/${name}`,
    target: `${target.host}/${name}`,
    type: 'image',
  })),
});

const bareCommands = () => ({
  help: [process.execPath, CLI, '--help'],
  node: [process.execPath, '-e', '0'],
});
