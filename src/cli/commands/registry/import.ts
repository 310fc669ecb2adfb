import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Context } from '../../../core/context.ts';
import { SECRET_MODE, writeFileAtomic } from '../../../core/files.ts';
import { parseDestination } from '../../../mirror/destination.ts';
import { type FollowReport, followRegistry } from '../../../mirror/follow/follow.ts';
import { parseGrant } from '../../../registry/auth/grants.ts';
import { generatePassword } from '../../../registry/auth/passwords.ts';
import { addUser, type ImportedUsers, importUsers } from '../../../registry/auth/users.ts';
import { startRegistry } from '../../../registry/serving/start.ts';
import { createRegistries } from '../../../remote/create-registries.ts';
import type { Registries } from '../../../remote/registries.ts';
import type { Store } from '../../../store/store.ts';
import { defineCommand } from '../../command.ts';
import { number, onOff, text, texts } from '../../flags.ts';
import { REGISTRY_OPTIONS, withRegistries } from '../../registry-options.ts';
import { FILTER_OPTIONS, followText } from '../mirror/follow.ts';
import { FOLDER_OPTIONS, openStore, readFolder, userPaths } from './image-registry-folder.ts';

interface Imported extends FollowReport {
  readonly users?: ImportedUsers | undefined;
}

export const registryImportCommand = defineCommand({
  name: 'registry import',
  summary: 'Take over the images of any other registry, and users where there is a file of them',
  description:
    'Reads the repositories and tags that the other registry shows to the login in the auth file, and ' +
    'copies them into the store with signatures and other artifacts, digests unchanged. The registry ' +
    'may run meanwhile. Run it again to go on, or to fetch what has come since.',
  options: {
    from: text('docker://HOST[/PATH]', 'The other registry', { required: true }),
    into: text('PATH', 'Put the repositories below this path'),
    users: text('FILE', 'htpasswd file of the other registry (bcrypt): its users come along'),
    grant: texts('ROLE[:REPO]', 'What they may do (default pull)'),
    dryRun: onOff('Say what is there, and change nothing'),
    concurrency: number('N', 'Blobs under way at once'),
    ...FILTER_OPTIONS,
    ...FOLDER_OPTIONS,
    ...REGISTRY_OPTIONS,
  },
  examples: {
    'atoll registry import --from docker://quay.example.com:8443 --authfile auth.json --dir /opt/registry':
      "all that Quay's mirror-registry has",
    'atoll registry import --from docker://old.example.com:5000 --include "ocp/*" --users htpasswd':
      'some of it, and its users',
  },
  async run(ctx, { options, terminal }): Promise<Imported> {
    const store = await openStore(await readFolder(options));
    const grants = options.grant.length > 0 ? options.grant.map(parseGrant) : [parseGrant('pull')];
    const users =
      options.users === undefined || options.dryRun
        ? undefined
        : await importUsers(ctx, await userPaths(options), options.users, grants);
    const report = await withRegistries(options, terminal, (registries) =>
      withDoor(ctx, store, (host, target) =>
        followRegistry(ctx, {
          registries,
          target,
          from: parseDestination(options.from),
          to: parseDestination(options.into === undefined ? host : `${host}/${options.into}`),
          filter: { include: options.include, exclude: options.exclude, tags: options.tag },
          concurrency: options.concurrency,
          dryRun: options.dryRun,
        }),
      ),
    );
    return { ...report, users };
  },
  text: ({ users, ...report }, style) =>
    [
      ...(users?.added.map((name) => `added the user ${name}`) ?? []),
      ...(users?.kept.map((name) => `kept the user ${name} as it was`) ?? []),
      followText(report, style),
    ].join('\n'),
  exitCode: ({ failed }) => (failed.length > 0 ? 7 : 0),
});

/** A temporary registry over the store, on loopback, with a password that only this process knows. */
async function withDoor<T>(
  ctx: Context,
  store: Store,
  work: (host: string, registries: Registries) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'atoll-import-'));
  const paths = { htpasswd: join(folder, 'htpasswd'), grants: join(folder, 'grants.yaml') };
  const password = generatePassword();
  const quiet = {
    ...ctx,
    emit: (event: Parameters<Context['emit']>[0]) => {
      if (!event.type.startsWith('server.')) ctx.emit(event);
    },
  };
  try {
    const grants = [{ role: 'push', prefix: '' }] as const;
    await addUser(ctx, paths, { name: 'import', password, grants });
    const listeners = [{ port: 0 }];
    const registry = await startRegistry(quiet, { store, listeners, auth: paths });
    const authfile = join(folder, 'auth.json');
    const auth = Buffer.from(`import:${password}`).toString('base64');
    await writeFileAtomic(authfile, JSON.stringify({ auths: { [registry.host]: { auth } } }), {
      mode: SECRET_MODE,
    });
    const registries = createRegistries({ authfile, insecure: [registry.host] });
    try {
      return await work(registry.host, registries);
    } finally {
      await registries.close();
      await registry.close(0);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
