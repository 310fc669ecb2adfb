import { availableParallelism } from 'node:os';
import type { Context } from '../../../core/context.ts';
import { acquireLock } from '../../../core/lock.ts';
import { untilAborted } from '../../../core/on-abort.ts';
import { selfCommand } from '../../../core/self.ts';
import { createPasswordProcess } from '../../../registry/auth/password-process.ts';
import type { RegistryFile } from '../../../registry/config-file.ts';
import type { RunningListener } from '../../../registry/serving/registry-config.ts';
import { startRegistry } from '../../../registry/serving/start.ts';
import { connectWorker, isWorker, startWorkers } from '../../../registry/serving/workers.ts';
import type { Registries } from '../../../remote/registries.ts';
import { defineCommand } from '../../command.ts';
import { REGISTRY_OPTIONS, registriesFrom } from '../../registry-options.ts';
import { FOLDER_OPTIONS, openStore, readFolder } from './image-registry-folder.ts';
import { startUpkeep } from './scheduled-upkeep.ts';

/** More processes than this gain nothing: the disk and the network are the limit. */
const MAX_DEFAULT_WORKERS = 4;

export const registryServeCommand = defineCommand({
  name: 'registry serve',
  summary: 'Serve the registry until it is stopped; SIGTERM lets requests finish',
  options: {
    ...FOLDER_OPTIONS,
    workers: {
      type: 'number',
      value: 'PROCESSES',
      summary: 'Processes that serve together (default: one per core, four at most)',
    },
    readOnly: { type: 'boolean', summary: 'Take no pushes and no deletes' },
    pidFile: {
      type: 'string',
      value: 'FILE',
      summary: 'Says that it runs, and keeps a second one of the same file from starting',
    },
    ...REGISTRY_OPTIONS,
  },
  examples: {
    'atoll registry serve --dir /opt/registry': 'as its config.yaml says',
    'atoll registry serve --read-only --workers 2': 'pulls only, two processes',
  },
  async run(ctx, { options, terminal }) {
    // Before the pid file: who waits for that may take it that the folder is good.
    const file = await readFolder(options);
    const lock =
      options.pidFile === undefined || isWorker()
        ? undefined
        : await acquireLock(ctx, options.pidFile, `registry of "${options.dir}"`);
    const chosen = { ...file, readOnly: file.readOnly || options.readOnly };
    const upkeep = isWorker() ? undefined : await startUpkeep(ctx, chosen, options);
    try {
      const workers = options.workers ?? file.workers ?? defaultWorkers();
      if (workers > 1 && !isWorker()) return await serveTogether(ctx, workers);
      const registries = file.listeners.some(({ upstream }) => upstream !== undefined)
        ? registriesFrom(options, terminal)
        : undefined;
      return await serveHere(ctx, chosen, registries).finally(() => registries?.close());
    } finally {
      await upkeep?.close();
      await lock?.release();
    }
  },
});

const defaultWorkers = () => Math.min(availableParallelism(), MAX_DEFAULT_WORKERS);

/** The signal means drain here, so nothing under way may see it. */
async function serveHere(
  ctx: Context,
  file: RegistryFile,
  registries: Registries | undefined,
): Promise<{ listeners: readonly RunningListener[] }> {
  const link = isWorker() ? connectWorker() : undefined;
  const emit: Context['emit'] = (event) => {
    // Of several processes the first one speaks for all.
    if (!link || !event.type.startsWith('server.')) ctx.emit(event);
  };
  const passwords = file.auth && createPasswordProcess(ctx, selfCommand());
  const registry = await startRegistry(
    { ...ctx, emit, signal: new AbortController().signal },
    {
      store: await openStore(file),
      listeners: file.listeners.map(({ address, tls, upstream }) => ({
        ...address,
        tls,
        upstream,
      })),
      auth: file.auth,
      readOnly: file.readOnly,
      redirect: file.storage.s3?.redirect,
      protectedTags: file.protectedTags,
      quotas: file.quotas,
      accessLog: file.accessLog,
      limits: file.limits,
      connect:
        registries && ((registry, repository) => registries.repository(registry, repository)),
      comparePassword: passwords?.compare,
      peerMetrics: link?.peers,
    },
  );
  link?.announce(registry);
  await (link?.drain ?? untilAborted(ctx));
  await registry.close();
  passwords?.close();
  return { listeners: registry.listeners };
}

async function serveTogether(
  ctx: Context,
  count: number,
): Promise<{ listeners: readonly RunningListener[] }> {
  const args = process.argv.slice(2);
  const workers = await startWorkers(ctx, { count, command: selfCommand(), args });
  for (const { url } of workers.listeners) {
    ctx.emit({ type: 'server.started', server: 'registry', url });
  }
  await untilAborted(ctx);
  await workers.close();
  ctx.emit({ type: 'server.stopped', server: 'registry' });
  return { listeners: workers.listeners };
}
