import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isSea } from 'node:sea';
import type { CollectDeps } from '../../content/collecting.ts';
import { extractTools } from '../../content/release/extract/extract-tools.ts';
import { DEFAULT_TOOLS, thisPlatform, toolOf } from '../../content/release/extract/tools.ts';
import { createGraphSource } from '../../content/release/graph/graph-source.ts';
import { findVersion, openRelease } from '../../content/release/open-release.ts';
import type { Context } from '../../core/context.ts';
import { makeFolder, writeFileAtomic } from '../../core/files.ts';
import { selfCommand } from '../../core/self.ts';
import {
  formatReference,
  parseReference,
  type Reference,
  tagOrDigestOf,
} from '../../oci/reference.ts';
import type { Site } from '../read-site.ts';
import { withRegistries } from './places.ts';
import { siteCollectDeps } from './release.ts';
import { asJson, type Stage } from './stage.ts';

export const toolsStage: Stage = {
  id: 'tools',
  needs: ['credentials'],
  inputs: ({ release }) => asJson({ release }),
  plan: ({ paths }) => [
    `put atoll, ${DEFAULT_TOOLS.join(' and ')} of the release into ${paths.tools}`,
  ],
  run: (ctx, work) =>
    withRegistries(work, async (registries) => {
      const { deps, close } = await siteCollectDeps(work, registries);
      try {
        await putAtoll(work.paths.tools);
        const reference = await releaseReference(ctx, work.site, deps);
        const source = registries.source(reference);
        const release = await openRelease(ctx, {
          reference,
          source,
          tagOrDigest: tagOrDigestOf(reference),
          shown: formatReference(reference),
        });
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
        return { releaseImage: release.pullSpec ?? '', files: files.map(({ path }) => path) };
      } finally {
        close();
      }
    }),
};

/** The release image by digest or tag, looked up in the update graph where only a version is given. */
async function releaseReference(
  ctx: Context,
  { release }: Site,
  deps: CollectDeps,
): Promise<Reference> {
  if (release.image) return parseReference(release.image);
  return findVersion(
    ctx,
    release.version ?? '',
    release.architecture,
    createGraphSource(deps.web, deps.graph),
  );
}

/** The binary itself, or a line of shell that starts what is running now. */
async function putAtoll(folder: string): Promise<void> {
  await makeFolder(folder);
  const path = join(folder, 'atoll');
  if (isSea()) {
    await copyFile(process.execPath, path);
    return;
  }
  const { file, args } = selfCommand();
  const quote = (word: string) => `'${word.replaceAll("'", `'\\''`)}'`;
  await writeFileAtomic(path, `#!/bin/sh\nexec ${[file, ...args].map(quote).join(' ')} "$@"\n`, {
    mode: 0o755,
  });
}
