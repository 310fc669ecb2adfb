import { createReadStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Context } from '../../../core/context.ts';
import { AtollError, messageOf } from '../../../core/errors.ts';
import { exists, writeFileAtomic } from '../../../core/files.ts';
import { runProgram } from '../../../core/process.ts';
import { REGISTRY_DEFAULTS, REGISTRY_UNIT } from '../../../generate/units/registry-unit.ts';
import type { RegistryFile } from '../../../registry/config-file.ts';
import { waitUntilHealthy } from '../../../registry/health.ts';
import { defineCommand } from '../../command.ts';
import { number, text } from '../../flags.ts';
import { FOLDER_OPTIONS, type FolderValues, readFolder } from './image-registry-folder.ts';

interface Upgrade {
  /** The new program, beside the one that it replaces. */
  readonly fresh: string;
  /** Where the service finds its program. */
  readonly program: string;
  readonly restart: readonly string[];
  readonly file: RegistryFile;
  readonly patienceMs: number;
}

export const registryUpgradeCommand = defineCommand({
  name: 'registry upgrade',
  summary:
    'Put a new program under the running service; the old one comes back if it does not serve',
  description:
    'Tries the new program on the configuration, puts it in place of the old one, restarts the service ' +
    'and waits until every listener answers. If one does not, the old program is put back and restarted. ' +
    'Requests under way finish first; clients that ask during the restart try again.',
  options: {
    from: text('FILE', 'The new program: a binary of atoll, or a package for Node', {
      required: true,
    }),
    program: text('FILE', 'The program of the service', { default: REGISTRY_DEFAULTS.program }),
    unit: text('NAME', 'The service, for systemctl', { default: REGISTRY_UNIT }),
    restart: text('FILE', 'Program that restarts the service, where systemd does not run it'),
    patience: number('SECONDS', 'How long it may take to answer', { default: 60 }),
    ...FOLDER_OPTIONS,
  },
  examples: {
    'atoll registry upgrade --from ./atoll-new --config /etc/atoll/registry/config.yaml':
      'the service that "atoll up" made',
  },
  async run(ctx, { options }) {
    const file = await readFolder(options);
    const program = resolve(options.program);
    const fresh = `${program}.new`;
    await place(resolve(options.from), fresh);
    const version = await tryProgram(ctx, fresh, options);
    const restart =
      options.restart === undefined
        ? ['systemctl', 'restart', options.unit]
        : [resolve(options.restart)];
    await upgrade(ctx, { fresh, program, restart, file, patienceMs: options.patience * 1000 });
    return { program, version, previous: oldOf(program) };
  },
  text: ({ program, version, previous }) =>
    `${program} is ${version} and serves; the one before is "${previous}"`,
});

const place = (from: string, to: string) =>
  writeFileAtomic(to, createReadStream(from), { mode: 0o755 });

const oldOf = (program: string) => `${program}.old`;

/** A program that cannot say what it is, or does not understand the configuration, never gets there. */
async function tryProgram(ctx: Context, program: string, values: FolderValues): Promise<string> {
  const folder = values.config === undefined ? ['--dir', values.dir] : ['--config', values.config];
  const version = await runProgram(ctx, program, ['version']);
  if (version.status !== 0) throw unusable(program, version.stderr);
  // Problems of the store (5) are none of the program's.
  const read = await runProgram(ctx, program, ['registry', 'status', ...folder]);
  if (read.status !== 0 && read.status !== 5) throw unusable(program, read.stderr);
  return version.stdout.trim().split('\n')[0] ?? '';
}

/** The old program stays beside the new one, under a name of its own, until the next upgrade. */
async function upgrade(ctx: Context, wanted: Upgrade): Promise<void> {
  const { fresh, program, restart } = wanted;
  const old = oldOf(program);
  if (await exists(program)) await place(program, old);
  await place(fresh, program);
  await rm(fresh, { force: true });
  try {
    await restartService(ctx, restart);
    await waitUntilHealthy(ctx, wanted.file, wanted.patienceMs);
  } catch (error) {
    ctx.signal.throwIfAborted();
    await rollBack(ctx, wanted, error);
  }
}

async function rollBack(ctx: Context, wanted: Upgrade, cause: unknown): Promise<never> {
  const { program, restart, file, patienceMs } = wanted;
  const message = `The new program does not serve: ${messageOf(cause)}. Going back`;
  ctx.emit({ type: 'warning.raised', message, subject: program });
  await place(oldOf(program), program);
  await restartService(ctx, restart);
  await waitUntilHealthy(ctx, file, patienceMs);
  throw new AtollError('PROGRAM_FAILED', `Cannot upgrade: ${messageOf(cause)}`, {
    hint: 'The old program is back and serves; look into the log of the service for why',
    details: { program },
    cause,
  });
}

async function restartService(ctx: Context, [program = '', ...args]: readonly string[]) {
  const { status, stderr } = await runProgram(ctx, program, args);
  if (status === 0) return;
  throw new AtollError('PROGRAM_FAILED', `"${program}" ended with status ${status}: ${stderr}`);
}

function unusable(program: string, said: string): AtollError {
  const why = said.trim().split('\n')[0] ?? '';
  return new AtollError('PROGRAM_FAILED', `Cannot use "${program}": ${why}`, {
    hint: 'Nothing was changed; take a program for this machine and of this version or later',
    details: { program },
  });
}
