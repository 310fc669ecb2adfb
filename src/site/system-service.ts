import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Context } from '../core/context.ts';
import { AtollError } from '../core/errors.ts';
import { shellLine } from '../core/format.ts';
import type { Host } from '../host/host.ts';
import { localHost } from '../host/local-host.ts';

const UNITS = '/etc/systemd/system';

/** A unit of systemd on this machine. */
export interface SystemUnit {
  /** `atoll-registry-north.service` */
  readonly name: string;
  readonly contents: string;
}

/** Whether systemd runs here and lets us make units; what stands in the way, if not. */
export async function systemdTrouble(ctx: Context): Promise<string | undefined> {
  if (!existsSync('/run/systemd/system')) return 'systemd does not run here';
  try {
    const { status } = await localHost().run(ctx, 'systemctl', ['--version'], { sudo: true });
    return status === 0 ? undefined : 'systemctl does not answer';
  } catch (error) {
    if (error instanceof AtollError) return error.message;
    throw error;
  }
}

/** Makes a unit that starts now and after every boot. One that has changed, or what it reads, is started again. */
export async function startUnit(
  ctx: Context,
  { name, contents }: SystemUnit,
  isNew = false,
): Promise<void> {
  const host = localHost();
  const path = join(UNITS, name);
  const before = await host.run(ctx, 'cat', [path]);
  if (isNew || before.stdout !== contents) {
    await host.put(ctx, path, contents, { mode: 0o644, sudo: true });
    await systemctl(ctx, host, 'daemon-reload');
    await systemctl(ctx, host, 'enable', name);
    await systemctl(ctx, host, 'restart', name);
  } else await systemctl(ctx, host, 'enable', '--now', name);
}

/** Stops a unit and removes it; one that is gone is none. */
export async function removeUnit(ctx: Context, name: string): Promise<void> {
  const host = localHost();
  await host.run(ctx, 'systemctl', ['disable', '--now', name], { sudo: true });
  await host.run(ctx, 'rm', ['-f', '--', join(UNITS, name)], { sudo: true });
  await systemctl(ctx, host, 'daemon-reload');
}

export async function isUnitActive(ctx: Context, name: string): Promise<boolean> {
  // Without D-Bus only root is answered; a user without sudo has made no units.
  const args = ['is-active', '--quiet', name];
  const asked = localHost().run(ctx, 'systemctl', args, { sudo: true });
  return await asked.then(({ status }) => status === 0).catch(() => false);
}

async function systemctl(ctx: Context, host: Host, ...args: readonly string[]): Promise<void> {
  const { status, stderr } = await host.run(ctx, 'systemctl', args, { sudo: true });
  if (status === 0) return;
  throw new AtollError(
    'PROGRAM_FAILED',
    `"${shellLine(['systemctl', ...args])}" failed: ${stderr.trim()}`,
    { hint: `Look at it: ${shellLine(['journalctl', '-u', args.at(-1) ?? ''])}` },
  );
}
