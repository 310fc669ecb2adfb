import type { Context } from '../../core/context.ts';
import { AtollError } from '../../core/errors.ts';
import type { Host } from '../../host/host.ts';
import { localHost } from '../../host/local-host.ts';
import { fingerprintOf } from '../../host/ssh/pin.ts';
import { type HostKeyPin, openSshHost } from '../../host/ssh-host.ts';
import type { BastionLogin, PreflightCheck } from '../platform.ts';

const isHere = ({ address }: BastionLogin) => address === undefined || address === 'localhost';

/** A bastion that is there already: this machine, unless the site names another. */
export function givenBastion(bastion: BastionLogin) {
  let host: Promise<Host> | undefined;
  const open = async (ctx: Context): Promise<Host> => {
    host ??= isHere(bastion) ? Promise.resolve(localHost()) : connect(ctx, bastion);
    try {
      return await host;
    } catch (error) {
      host = undefined;
      throw error;
    }
  };
  return {
    plan: [isHere(bastion) ? 'use this machine' : `use ${shown(bastion)} over SSH`],
    /** Whether it can be reached, before anything is made that would wait for it. */
    checks: async (ctx: Context): Promise<PreflightCheck[]> => {
      try {
        const { name } = await open(ctx);
        return [{ subject: 'bastion', severity: 'ok', message: `The bastion is ${name}` }];
      } catch (error) {
        if (!(error instanceof AtollError)) throw error;
        const { message, hint } = error;
        return [{ subject: 'bastion', severity: 'error', message, hint }];
      }
    },
    host: open,
    close: async (): Promise<void> => {
      await (await host?.catch(() => undefined))?.close();
      host = undefined;
    },
  };
}

/** With all that decides whom one talks to: a plan is read before it is done. */
function shown({
  user,
  address,
  port,
  jump,
  privateKey,
  knownHosts,
  hostKeys,
}: BastionLogin): string {
  const key = knownHosts ?? (hostKeys.length > 0 ? hostKeys.join(' or ') : 'the hosts you know');
  const way = jump === undefined ? '' : ` by way of ${jump}`;
  const login = privateKey === undefined ? '' : `, with the key ${privateKey}`;
  const at = port === undefined ? '' : `:${port}`;
  return `${user}@${address}${at}${way}${login}, its host key as in ${key},`;
}

function connect(ctx: Context, login: BastionLogin): Promise<Host> {
  const { address = '', user, port, privateKey: identity, jump } = login;
  // It is there already: one that does not answer soon will not answer later.
  const patience = { attempts: 3 };
  return openSshHost(ctx, { address, user, port, identity, jump, pin: pinOf(login) }, patience);
}

/** What the site says about the key of the host; nothing means the hosts that the user knows. */
export function pinOf({
  knownHosts,
  hostKeys,
}: Pick<BastionLogin, 'knownHosts' | 'hostKeys'>): HostKeyPin | undefined {
  if (knownHosts !== undefined) return { knownHosts };
  if (hostKeys.length === 0) return undefined;
  const isPrint = (text: string) => text.startsWith('SHA256:');
  if (!hostKeys.some(isPrint)) return { keys: hostKeys };
  return { fingerprints: hostKeys.map((key) => (isPrint(key) ? key : fingerprintOf(key))) };
}
