import { copyFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { isSea } from 'node:sea';
import { extractTools } from '../../content/release/extract/extract-tools.ts';
import { DEFAULT_TOOLS, thisPlatform, toolOf } from '../../content/release/extract/tools.ts';
import { readAsset } from '../../core/assets.ts';
import { sha256OfFile } from '../../core/file-sum.ts';
import { makeFolder, writeFileAtomic } from '../../core/files.ts';
import { by } from '../../core/order.ts';
import { selfCommand } from '../../core/self.ts';
import { withRegistries } from './places.ts';
import { openSiteRelease, siteCollectDeps } from './release.ts';
import { asJson, type Stage } from './stage.ts';

export const toolsStage: Stage = {
  id: 'tools',
  needs: ['credentials'],
  inputs: ({ release }) => asJson({ release }),
  plan: ({ paths }) => [
    `put atoll, ${DEFAULT_TOOLS.join(' and ')} of the release into ${paths.tools}, with their SHA256SUMS`,
  ],
  run: (ctx, work) =>
    withRegistries(work, async (registries) => {
      const { deps, close } = await siteCollectDeps(work, registries);
      try {
        const own = await putAtoll(work.paths.tools);
        const release = await openSiteRelease(ctx, work.site, registries, deps);
        const reach = {
          source: registries.source.bind(registries),
          repository: registries.repository.bind(registries),
        };
        const tools = DEFAULT_TOOLS.map(toolOf);
        const files = await extractTools(ctx, release, {
          tools,
          platform: thisPlatform(),
          to: work.paths.tools,
          reach,
        });
        const { version } = release.payload;
        const programs = [
          { path: own, version: readAsset('version.txt').trim() },
          ...files.map(({ path }) => ({ path, version })),
        ];
        return {
          releaseImage: release.pullSpec ?? '',
          files: files.map(({ path }) => path),
          tools: await writeSums(work.paths.tools, programs),
        };
      } finally {
        close();
      }
    }),
};

interface Program {
  readonly path: string;
  readonly version: string;
}

/** Sums of the programs, for `sha256sum -c SHA256SUMS`. */
async function writeSums(folder: string, programs: readonly Program[]) {
  const tools: { name: string; version: string; sha256: string }[] = [];
  // They come in the order in which they were ready.
  for (const { path, version } of programs.toSorted(by(({ path }) => path))) {
    tools.push({ name: basename(path), version, sha256: await sha256OfFile(path) });
  }
  const lines = tools.map(({ name, sha256 }) => `${sha256}  ${name}\n`);
  await writeFileAtomic(join(folder, 'SHA256SUMS'), lines.join(''));
  return tools;
}

/** The binary itself, or a line of shell that starts what is running now. */
async function putAtoll(folder: string): Promise<string> {
  await makeFolder(folder);
  const path = join(folder, 'atoll');
  if (isSea()) {
    await copyFile(process.execPath, path);
    return path;
  }
  const { file, args } = selfCommand();
  const quote = (word: string) => `'${word.replaceAll("'", `'\\''`)}'`;
  await writeFileAtomic(path, `#!/bin/sh\nexec ${[file, ...args].map(quote).join(' ')} "$@"\n`, {
    mode: 0o755,
  });
  return path;
}
