import { join } from 'node:path';
import type { Context } from '../../core/context.ts';
import { AtollError, isTransient } from '../../core/errors.ts';
import { readText, readTextIfPresent, SECRET_MODE, writeFileAtomic } from '../../core/files.ts';
import { sleep } from '../../core/retry.ts';
import { CONFIG_NAME } from '../../registry/config-file.ts';
import { initRegistry } from '../../registry/init.ts';
import { createRegistries } from '../../remote/create-registries.ts';
import type { JsonObject } from '../../workflow/step.ts';
import { sitePath } from '../read-site.ts';
import { startService } from '../service.ts';
import { mirrorCa, mirrorHost, registryOptions } from './places.ts';
import { writeMergedSecret, writeMirrorSecret } from './secrets.ts';
import { asJson, type Stage, type StageWork } from './stage.ts';

const PATIENCE_MS = 30_000;
const LOOK_AGAIN_MS = 100;

export const registryStage: Stage = {
  id: 'registry',
  title: 'Mirror registry',
  needs: ['bastion'],
  inputs: ({ registry, name }) => asJson({ registry, name }),
  plan: ({ site, paths }) =>
    site.registry.type === 'embedded'
      ? [
          `make a registry in ${paths.registry} with its own CA and a first user`,
          `serve it as ${mirrorHost(site)}`,
        ]
      : [`use the registry ${mirrorHost(site)}`],
  // A reboot or a crash may have stopped it.
  always: true,
  run: async (ctx, work) => {
    if (work.site.registry.type === 'embedded') await runEmbedded(ctx, work);
    else await adoptExisting(work);
    await waitUntilItAnswers(ctx, work);
    return { host: mirrorHost(work.site), ca: mirrorCa(work) } satisfies JsonObject;
  },
};

export const registryPidFile = (paths: Pick<StageWork['paths'], 'state'>): string =>
  join(paths.state, 'registry.pid');

async function runEmbedded(ctx: Context, { site, paths, inventory }: StageWork): Promise<void> {
  await inventory.claim({
    kind: 'directory',
    id: paths.registry,
    temporary: site.mode === 'private',
  });
  if ((await readTextIfPresent(join(paths.registry, CONFIG_NAME))) === undefined) {
    const [name = ''] = mirrorHost(site).split(':');
    const made = await initRegistry(ctx, {
      directory: paths.registry,
      hosts: [name, 'localhost', '127.0.0.1'],
      port: site.registry.port,
      user: 'atoll',
    });
    await writeMirrorSecret(paths, mirrorHost(site), made.user, made.password);
  }
  const pidFile = registryPidFile(paths);
  await inventory.claim({ kind: 'service', id: pidFile, temporary: site.mode === 'private' });
  await startService({
    pidFile,
    logFile: join(paths.state, 'logs', 'registry-service.log'),
    args: ['registry', 'serve', '--dir', paths.registry, '--output', 'json'],
  });
}

async function adoptExisting({ site, paths }: StageWork): Promise<void> {
  const { authfile } = site.registry;
  const text = authfile ? await readText(sitePath(site, authfile)) : '{"auths":{}}';
  await writeFileAtomic(paths.mirrorSecret, text, { mode: SECRET_MODE });
}

/** Asks with the CA and credentials the images stage will use: better now than after an hour. */
async function waitUntilItAnswers(ctx: Context, work: StageWork): Promise<void> {
  await writeMergedSecret(work.paths);
  const [host = ''] = mirrorHost(work.site).split('/');
  const deadline = ctx.now().getTime() + PATIENCE_MS;
  for (;;) {
    const registries = createRegistries({ ...registryOptions(work), tuning: { attempts: 1 } });
    try {
      await registries.repository(host, 'atoll/probe').resolve(ctx, 'none');
      return;
    } catch (error) {
      if (error instanceof AtollError && error.code === 'IMAGE_UNKNOWN') return;
      if (!isTransient(error) || ctx.now().getTime() > deadline) throw error;
      await sleep(ctx, LOOK_AGAIN_MS);
    } finally {
      await registries.close();
    }
  }
}
