/** `address name...` lines of a hosts file; the first address of a name counts, comments do not. */
export function parseHosts(text: string): ReadonlyMap<string, string> {
  const hosts = new Map<string, string>();
  for (const line of text.split('\n')) {
    const [address, ...names] = line.replace(/#.*/, '').trim().split(/\s+/);
    for (const name of names) if (address && !hosts.has(name)) hosts.set(name, address);
  }
  return hosts;
}
