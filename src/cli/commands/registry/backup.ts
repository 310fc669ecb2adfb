import { readdir, stat } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative } from 'node:path';
import type { Context } from '../../../core/context.ts';
import {
  exists,
  makeFolder,
  readBytes,
  SECRET_DIRECTORY_MODE,
  writeFileAtomic,
} from '../../../core/files.ts';
import { counted, formatBytes } from '../../../core/format.ts';
import { backupRegistry } from '../../../registry/backup/backup.ts';
import { restoreRegistry } from '../../../registry/backup/restore.ts';
import { type BackupFile, chooseSnapshot } from '../../../registry/backup/snapshot.ts';
import { CONFIG_NAME, type RegistryFile } from '../../../registry/config-file.ts';
import { defineCommand } from '../../command.ts';
import { FOLDER_OPTIONS, openStore, readFolder } from './image-registry-folder.ts';

export const registryBackupCommand = defineCommand({
  name: 'registry backup',
  summary: 'Back up images, users, tokens and certificates; only what is new is copied',
  description:
    'The registry may run meanwhile: a snapshot is of images as they belong together. All bytes ' +
    'are compared with their digests. The backup holds secrets; nobody else can read its folder.',
  options: {
    to: { type: 'string', value: 'DIR', required: true, summary: 'Folder of the backup' },
    keep: {
      type: 'number',
      value: 'SNAPSHOTS',
      summary: 'Snapshots to keep; what only older ones need is removed (default: all)',
    },
    verify: { type: 'boolean', summary: 'Read all that the backup holds again' },
    ...FOLDER_OPTIONS,
  },
  examples: {
    'atoll registry backup --dir /opt/registry --to /mnt/backup --keep 14':
      'every night, two weeks',
  },
  async run(ctx, { options }) {
    const file = await readFolder(options);
    const config = options.config ?? join(options.dir, CONFIG_NAME);
    const { to, keep, verify } = options;
    const files = await filesOf(ctx, config, file);
    return await backupRegistry(ctx, await openStore(file), { to, keep, verify, files });
  },
  text: (report) =>
    `snapshot ${report.snapshot}: ${counted(report.blobs, 'blob')}, ${formatBytes(report.bytes)}; ` +
    `new ${report.copiedBlobs}, ${formatBytes(report.copiedBytes)}` +
    (report.removedSnapshots > 0
      ? `; removed ${counted(report.removedSnapshots, 'snapshot')}, ${counted(report.removedBlobs, 'blob')}`
      : ''),
});

export const registryRestoreCommand = defineCommand({
  name: 'registry restore',
  summary: 'Make a registry of a backup, in a new folder',
  description:
    'Writes configuration, users, tokens and certificates where the folder has none, and the images ' +
    'into its store, which must be empty. One that was interrupted goes on.',
  options: {
    from: { type: 'string', value: 'DIR', required: true, summary: 'Folder of the backup' },
    snapshot: { type: 'string', value: 'ID', summary: 'Not the last one, but this' },
    ...FOLDER_OPTIONS,
  },
  examples: {
    'atoll registry restore --from /mnt/backup --dir /opt/registry-new': 'as it was last backed up',
  },
  async run(ctx, { options }) {
    const snapshot = await chooseSnapshot(options.from, options.snapshot);
    if (options.config === undefined && !(await exists(join(options.dir, CONFIG_NAME)))) {
      await writeFiles(options.dir, snapshot.files);
    }
    const store = await openStore(await readFolder(options));
    return await restoreRegistry(ctx, store, options.from, snapshot);
  },
  text: (report) =>
    `restored ${report.snapshot}: ${counted(report.blobs, 'blob')} (${report.copiedBlobs} copied), ` +
    counted(report.records, 'record'),
});

/** The files that `serve` reads besides the store. Files outside of the registry's folder are not ours to back up. */
async function filesOf(ctx: Context, config: string, file: RegistryFile): Promise<BackupFile[]> {
  const folder = dirname(config);
  const tls = join(folder, 'tls');
  const named = [
    config,
    ...(file.auth ? [file.auth.htpasswd, file.auth.grants, file.auth.tokens] : []),
    ...file.listeners.flatMap((each) => (each.tls ? [each.tls.certificate, each.tls.key] : [])),
    ...(await readdir(tls).catch(() => [])).map((name) => join(tls, name)),
  ];
  const files: BackupFile[] = [];
  for (const source of new Set(named.filter((path) => path !== undefined))) {
    if (!(await exists(source))) continue;
    const path = source === config ? CONFIG_NAME : relative(folder, source);
    if (path.startsWith('..') || isAbsolute(path)) {
      const message = `"${source}" is not in the backup: it is outside of the registry's folder`;
      ctx.emit({ type: 'warning.raised', message, subject: source });
      continue;
    }
    const content = (await readBytes(source)).toString('base64');
    files.push({ path, mode: (await stat(source)).mode & 0o777, content });
  }
  return files;
}

/** The configuration comes last: where it is, the rest is too. */
async function writeFiles(folder: string, files: readonly BackupFile[]): Promise<void> {
  const isConfig = ({ path }: BackupFile) => path === CONFIG_NAME;
  await makeFolder(folder, SECRET_DIRECTORY_MODE);
  for (const file of [...files.filter((each) => !isConfig(each)), ...files.filter(isConfig)]) {
    const path = join(folder, file.path);
    await makeFolder(dirname(path), SECRET_DIRECTORY_MODE);
    await writeFileAtomic(path, Buffer.from(file.content, 'base64'), { mode: file.mode });
  }
}
