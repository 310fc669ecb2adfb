import { Resolver } from 'node:dns/promises';

/** How a node turns a name into an address; undefined: there is no such host. */
export type AddressOf = (host: string) => Promise<string | undefined>;

const DNS = { timeout: 2000, tries: 2 } as const;

/**
 * Names as a node resolves them: its hosts file, then DNS. The hosts file of this machine is not
 * the node's, so it does not count; each name is asked for once.
 */
export function nodeNames(hosts: ReadonlyMap<string, string>, dns: boolean): AddressOf {
  const asked = new Map<string, Promise<string | undefined>>();
  const resolver = new Resolver(DNS);
  return async (host) => {
    const listed = hosts.get(host);
    if (listed !== undefined || !dns) return listed;
    const answer = asked.get(host) ?? askDns(resolver, host);
    asked.set(host, answer);
    return await answer;
  };
}

async function askDns(resolver: Resolver, host: string): Promise<string | undefined> {
  const [four] = await resolver.resolve4(host).catch(() => []);
  if (four !== undefined) return four;
  const [six] = await resolver.resolve6(host).catch(() => []);
  return six;
}
