import { setPriority } from 'node:os';
import type { Context } from '../../../core/context.ts';
import { AtollError } from '../../../core/errors.ts';
import { runProgram } from '../../../core/process.ts';
import { selfCommand } from '../../../core/self.ts';
import type { RegistryFile } from '../../../registry/config-file.ts';
import { runUpkeepJob } from '../../../registry/upkeep/run-job.ts';
import { scheduleUpkeep } from '../../../registry/upkeep/schedule.ts';
import { UPKEEP_JOBS, type UpkeepJob } from '../../../registry/upkeep/state.ts';
import { defineCommand } from '../../command.ts';
import { leaveAtEof } from '../../leave-at-eof.ts';
import {
  FOLDER_OPTIONS,
  type FolderValues,
  openStore,
  readFolder,
} from './image-registry-folder.ts';

/** Reading a terabyte takes a night, and leaves a disk to its clients. */
const DEFAULT_SCRUB_RATE = 50 * 1024 * 1024;
const LOWEST_PRIORITY = 19;

/** Does what the configuration asks for, in a process of its own that the kernel serves last. */
export async function startUpkeep(
  ctx: Context,
  file: RegistryFile,
  values: FolderValues,
): Promise<{ close(): Promise<void> } | undefined> {
  const { gc, scrub, window } = file.upkeep ?? {};
  // A read-only registry collects no garbage.
  const wanted = { ...(gc === undefined || file.readOnly ? {} : { gc }), ...(scrub && { scrub }) };
  if (Object.keys(wanted).length === 0) return undefined;
  // The abort signal tells servers to drain; this job is ended by `close` instead.
  const here = { ...ctx, signal: new AbortController().signal };
  return scheduleUpkeep(here, await openStore(file), {
    every: wanted,
    window,
    run: (context, job) => runInChild(context, job, values),
  });
}

async function runInChild(ctx: Context, job: UpkeepJob, values: FolderValues): Promise<void> {
  const { file, args } = selfCommand();
  const folder = values.config === undefined ? ['--dir', values.dir] : ['--config', values.config];
  const command = [...args, 'registry', 'upkeep', job, ...folder, '--output', 'text'];
  const { status, stderr } = await runProgram(ctx, file, command, { holdInput: true });
  const told = stderr.split('\n').filter((line) => line.trim() !== '');
  for (const message of told) ctx.emit({ type: 'note.added', message });
  if (status === 0) return;
  throw new AtollError('PROGRAM_FAILED', `The job "${job}" ended with status ${status}`);
}

export const registryUpkeepCommand = defineCommand({
  name: 'registry upkeep',
  summary: 'One job of the upkeep that "registry serve" does by itself',
  internal: true,
  arguments: [{ name: 'job', summary: UPKEEP_JOBS.join(' or ') }],
  options: FOLDER_OPTIONS,
  examples: { 'atoll registry upkeep gc': 'as scheduled' },
  async run(ctx, { args, options }) {
    leaveAtEof(process.stdin);
    yieldToClients();
    const job = UPKEEP_JOBS.find((each) => each === args.job);
    if (!job) throw new AtollError('USAGE', `Cannot do the job "${args.job}"`);
    const file = await readFolder(options);
    return await runUpkeepJob(ctx, await openStore(file), job, {
      bytesPerSecond: file.upkeep?.scrubRate ?? DEFAULT_SCRUB_RATE,
      readOnly: file.readOnly,
      retention: file.retention,
      protectedTags: file.protectedTags,
    });
  },
  exitCode: ({ outcome }) => (outcome === 'failed' ? 1 : 0),
});

/** A service may be forbidden to; then the rate of the scrub alone has to do. */
function yieldToClients(): void {
  try {
    setPriority(LOWEST_PRIORITY);
  } catch {}
}
