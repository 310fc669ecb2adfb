// What is compared: each is one command that fills the target from the source.
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buildProgram } from '../build-program.mjs';
import { measure } from './processes.mjs';

const here = import.meta.dirname;
/** Where skopeo remembers which registry has which blob; a first sync has no such memory. */
const SKOPEO_MEMORY = '/var/lib/containers/cache/blob-info-cache-v1.boltdb';

export async function prepareTools(folder, workload) {
  // Starting up counts where there is nothing to do.
  const program = await buildProgram(join(here, 'run-atoll.mjs'), join(folder, 'run-atoll.mjs'));
  const list = join(folder, 'images.json');
  const blobs = join(folder, 'blobs.txt');
  await writeFile(list, JSON.stringify(workload.images));
  // Biggest first is what a careful script would do.
  const sorted = workload.blobs.toSorted((a, b) => b.size - a.size);
  const lines = sorted.map(({ repository, digest }) => `${repository} ${digest}\n`);
  await writeFile(blobs, lines.join(''));
  return {
    atoll: {
      forget: async () => undefined,
      run: async (source, target) => {
        const args = [program, list, source.host, target.host];
        const { seconds, output } = await measure(process.execPath, args);
        const { peakMB, ...result } = JSON.parse(output);
        return { seconds, peakMB, ...result };
      },
    },
    skopeo: {
      forget: () => rm(SKOPEO_MEMORY, { force: true }),
      run: async (source, target) => {
        const file = join(folder, `sync-${source.host.replace(':', '-')}.yaml`);
        await writeFile(file, syncFile(source.host, workload.images));
        const flags = ['--src', 'yaml', '--dest', 'docker', '--dest-tls-verify=false'];
        return await measure('skopeo', ['sync', ...flags, file, target.host]);
      },
    },
    floor: {
      forget: async () => undefined,
      run: (source, target) =>
        measure('sh', [join(here, 'floor.sh'), blobs, source.url, target.url]),
    },
  };
}

function syncFile(host, images) {
  const repositories = new Map();
  for (const { repository, tag } of images) {
    repositories.set(repository, [...(repositories.get(repository) ?? []), tag]);
  }
  const lines = [...repositories].flatMap(([repository, tags]) => [
    `    ${repository}:`,
    ...tags.map((tag) => `      - "${tag}"`),
  ]);
  return `${host}:\n  tls-verify: false\n  images:\n${lines.join('\n')}\n`;
}
