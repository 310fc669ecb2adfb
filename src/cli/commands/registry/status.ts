import { counted, formatBytes } from '../../../core/format.ts';
import { listUsers } from '../../../registry/auth/users.ts';
import { diskSpace } from '../../../registry/storage/disk-space.ts';
import { loadCertificate } from '../../../registry/tls/certificate-file.ts';
import { readUpkeep, type UpkeepState } from '../../../registry/upkeep/state.ts';
import { defineCommand } from '../../command.ts';
import { FOLDER_OPTIONS, openStore, readFolder } from './image-registry-folder.ts';

export const registryStatusCommand = defineCommand({
  name: 'registry status',
  summary: 'Show what looks after itself and what does not: upkeep, room, certificates, users',
  options: FOLDER_OPTIONS,
  examples: { 'atoll registry status --dir /opt/registry': 'when it was last checked, and how' },
  async run(ctx, { options }) {
    const file = await readFolder(options);
    const store = await openStore(file);
    const certificates = await Promise.all(
      file.listeners.flatMap(({ tls }) => (tls ? [loadCertificate(tls)] : [])),
    );
    const freeBytes = await diskSpace({ root: file.storage.path, minFreeBytes: 0 }).freeBytes();
    return {
      storage: file.storage.path ?? `s3://${file.storage.s3?.bucket}`,
      readOnly: file.readOnly,
      freeBytes,
      certificates: certificates.map(({ expiresAt }) => expiresAt.toISOString()),
      users: file.auth
        ? (await listUsers({ htpasswd: file.auth.htpasswd, grants: file.auth.grants })).length
        : undefined,
      upkeep: await readUpkeep(ctx, store),
    };
  },
  text: ({ storage, readOnly, freeBytes, certificates, users, upkeep }) =>
    [
      `store ${storage}${readOnly ? ', read-only' : ''}` +
        (freeBytes === undefined ? '' : `, ${formatBytes(freeBytes)} free`),
      ...certificates.map((until) => `certificate valid until ${until.slice(0, 10)}`),
      users === undefined ? 'no users: everybody may do everything' : counted(users, 'user'),
      ...Object.entries(upkeep).map(([job, state]) => `${job}: ${upkeepText(state)}`),
      ...(Object.keys(upkeep).length === 0 ? ['upkeep: nothing has run yet'] : []),
    ].join('\n'),
  exitCode: ({ upkeep }) => ((upkeep.scrub?.problems ?? 0) > 0 ? 5 : 0),
});

function upkeepText(state: UpkeepState): string {
  const numbers = [
    state.freedBytes === undefined ? undefined : `freed ${formatBytes(state.freedBytes)}`,
    state.checkedBytes === undefined ? undefined : `read ${formatBytes(state.checkedBytes)}`,
    state.problems === undefined ? undefined : counted(state.problems, 'problem'),
  ].filter((text) => text !== undefined);
  const well = state.succeededAt === undefined ? 'never' : `on ${state.succeededAt}`;
  const now = state.outcome === 'done' ? '' : `; ${state.outcome} since ${state.startedAt}`;
  const why = state.message === undefined ? '' : `: ${state.message}`;
  return `last done ${[well, ...numbers].join(', ')}${now}${why}`;
}
