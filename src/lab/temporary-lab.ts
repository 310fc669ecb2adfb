import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Context } from '../core/context.ts';
import { writeFileAtomic } from '../core/files.ts';
import { identityOf, lifeOf, readIdentity } from '../core/process-identity.ts';
import { stopService } from '../site/service.ts';
import { registryPidFile } from '../site/stages/registry.ts';
import { labPaths } from './lab-paths.ts';

const PREFIX = 'atoll-lab-';
/** In a folder that goes away: whose it is. A folder that is kept has no such file. */
const OWNER = 'owner.json';

export function newLabFolder(): Promise<string> {
  return mkdtemp(join(tmpdir(), PREFIX));
}

/** Runs a task in a folder that goes away afterwards, and clears away those of labs that were killed. */
export async function inTemporaryLab<T>(
  ctx: Context,
  task: (directory: string) => Promise<T>,
): Promise<T> {
  await clearAbandoned(ctx);
  const directory = await newLabFolder();
  try {
    await writeFileAtomic(join(directory, OWNER), JSON.stringify(await identityOf(process.pid)));
    return await task(directory);
  } finally {
    await rm(directory, { recursive: true, force: true });
    if (ctx.signal.aborted)
      ctx.emit({
        type: 'note.added',
        message:
          'The folder of this lab went away with it; a lab with --dir goes on where it stopped',
      });
  }
}

async function clearAbandoned(ctx: Context): Promise<void> {
  const names = await readdir(tmpdir());
  for (const name of names.filter((each) => each.startsWith(PREFIX))) {
    const directory = join(tmpdir(), name);
    if (!(await isAbandoned(directory))) continue;
    const { site, upstreamPidFile } = labPaths(directory);
    await stopService(ctx, upstreamPidFile);
    await stopService(ctx, registryPidFile({ state: join(site, '.atoll') }));
    await rm(directory, { recursive: true, force: true });
    ctx.emit({ type: 'note.added', message: `Cleared away ${directory}: its lab was killed` });
  }
}

async function isAbandoned(directory: string): Promise<boolean> {
  // Somebody else's cannot be read, and is not ours to clear.
  const owner = await readIdentity(join(directory, OWNER)).catch(() => undefined);
  return owner !== undefined && (await lifeOf(owner)) === 'dead';
}
