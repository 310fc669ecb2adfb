import type { Context } from '../../core/context.ts';
import { AtollError } from '../../core/errors.ts';
import { FIRST_BOOT_RETRY, sleep } from '../../core/retry.ts';
import type { Host } from '../../host/host.ts';
import { openSshHost } from '../../host/ssh-host.ts';
import type {
  BastionLogin,
  Claim,
  PlatformSite,
  PreflightCheck,
  SiteResource,
} from '../platform.ts';
import { type BootConfig, bootConfig } from './boot-config.ts';

/** The bastion as a virtual machine, on a platform that knows such machines. */
export interface VirtualMachine {
  /** How messages and the inventory name it. */
  readonly resource: SiteResource;
  /** The machine, if there is one; somebody else's under its name is an error. */
  find(ctx: Context): Promise<{ readonly hostKey: string } | undefined>;
  /** Makes it, not necessarily running. */
  make(ctx: Context, boot: BootConfig): Promise<void>;
  /** Starts it unless it runs. */
  start(ctx: Context): Promise<void>;
  /** Its address, once it has one. */
  address(ctx: Context): Promise<string | undefined>;
  /** Takes away what it booted from. */
  forgetBoot(ctx: Context): Promise<void>;
}

/** How a machine that was made is waited for and reached; tests bring their own. */
export interface VirtualWorld {
  readonly pollMs: number;
  readonly login: (
    ctx: Context,
    at: { readonly address: string; readonly hostKey: string },
    as: BastionLogin,
  ) => Promise<Host>;
}

const ADDRESS_MS = 30 * 60_000;

export const VIRTUAL_WORLD: VirtualWorld = {
  pollMs: 3000,
  login: (ctx, { address, hostKey }, { user, port, jump, privateKey: identity }) =>
    openSshHost(
      ctx,
      { address, user, port, jump, identity, pin: { keys: [hostKey] } },
      FIRST_BOOT_RETRY,
    ),
};

/** Makes the bastion or finds it as it was made, and waits until it answers. */
export async function reachMade(
  ctx: Context,
  site: Pick<PlatformSite, 'name' | 'shape' | 'bastion'>,
  machine: VirtualMachine,
  world: VirtualWorld,
  claim: Claim,
): Promise<Host> {
  await claim(machine.resource);
  const found = await machine.find(ctx);
  const hostKey = found?.hostKey ?? (await makeNew(ctx, site, machine));
  await machine.start(ctx);
  const address = await addressOf(ctx, machine, world.pollMs);
  const host = await world.login(ctx, { address, hostKey }, site.bastion);
  await machine.forgetBoot(ctx);
  return host;
}

async function makeNew(
  ctx: Context,
  site: Pick<PlatformSite, 'name' | 'shape'>,
  machine: VirtualMachine,
): Promise<string> {
  const boot = await bootConfig(ctx, site);
  await machine.make(ctx, boot);
  return boot.hostKey;
}

async function addressOf(ctx: Context, machine: VirtualMachine, pollMs: number): Promise<string> {
  const { id } = machine.resource;
  ctx.emit({ type: 'note.added', message: `Waiting for ${id} to have an address` });
  for (let waited = 0; waited < ADDRESS_MS; waited += pollMs) {
    const address = await machine.address(ctx);
    if (address !== undefined) return address;
    await sleep(ctx, pollMs);
  }
  throw new AtollError('TIMED_OUT', `Cannot reach the bastion: ${id} has no address`, {
    hint: 'Look at its console: its network needs DHCP, and its image an agent that tells the address',
    details: { machine: id },
  });
}

/** Whether anybody could log in to a machine that is made. */
export async function accessChecks({ bastion, shape }: PlatformSite): Promise<PreflightCheck[]> {
  if (bastion.address !== undefined) return [];
  if ((await shape.bastion.authorizedKeys()).length > 0) return [];
  return [
    {
      subject: 'bastion',
      severity: 'error',
      message: 'Nobody could log in to the bastion: no public key is named',
      hint: 'Write the file of your public SSH key: bastion.sshKey',
    },
  ];
}
