import { connect, isIP, type Socket } from 'node:net';
import type { Context } from '../../core/context.ts';
import { mapBounded } from '../../core/pool.ts';
import { proxyFor } from '../../http/no-proxy.ts';
import { hostNameOf } from '../../oci/registries/location.ts';
import type { RegistryRule } from '../../oci/registries/model.ts';
import type { RehearsalNode } from '../node/open-node.ts';
import type { Hole } from './hole.ts';
import { proxiedUpstream, reachableUpstream } from './rule-holes.ts';

/** An upstream host that no rule keeps nodes from. */
export interface UnblockedSource {
  readonly host: string;
  readonly rules: readonly RegistryRule[];
}

const TIMEOUT_MS = 3000;
const AT_ONCE = 8;

/** Tries the door of every open source; one that opens is a leak. Nothing is sent through it. */
export async function findLeaks(
  ctx: Context,
  node: RehearsalNode,
  sources: readonly UnblockedSource[],
): Promise<Hole[]> {
  const ours = new Set<string | undefined>(
    await Promise.all([...node.inside].map((host) => addressOf(node, host))),
  );
  const holes = await mapBounded(ctx, AT_ONCE, sources, (source) => knock(ctx, node, source, ours));
  return holes.filter((hole) => hole !== undefined);
}

async function addressOf(node: RehearsalNode, host: string): Promise<string | undefined> {
  const name = hostNameOf(host).replace(/^\[|\]$/g, '');
  return isIP(name) === 0 ? await node.addressOf(name) : name;
}

async function knock(
  ctx: Context,
  node: RehearsalNode,
  { host, rules }: UnblockedSource,
  ours: ReadonlySet<string | undefined>,
): Promise<Hole | undefined> {
  const url = new URL(`https://${host === 'docker.io' ? 'registry-1.docker.io' : host}`);
  const proxy = proxyFor(url, node.config.proxy);
  if (proxy) return proxiedUpstream(host, proxy.host);
  const address = await addressOf(node, url.host);
  // A name that the site points at its own mirror leads nowhere else.
  if (address === undefined || ours.has(address)) return undefined;
  const port = Number(url.port || 443);
  const opened = await opens(ctx, connect({ host: address, port }));
  return opened
    ? reachableUpstream(host, rules, `${address}, port ${port}, accepts connections`)
    : undefined;
}

function opens(ctx: Context, socket: Socket): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const settle = (opened: boolean) => {
      socket.destroy();
      ctx.signal.removeEventListener('abort', stop);
      resolve(opened);
    };
    const stop = () => {
      socket.destroy();
      reject(ctx.signal.reason);
    };
    ctx.signal.addEventListener('abort', stop, { once: true });
    socket.setTimeout(TIMEOUT_MS, () => settle(false));
    socket.once('connect', () => settle(true)).once('error', () => settle(false));
  });
}
