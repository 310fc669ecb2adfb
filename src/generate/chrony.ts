import { AtollError } from '../core/errors.ts';
import { sortedUnique } from '../core/order.ts';

/** `/etc/chrony.conf` for nodes that must keep time without the internet. */
export function chronyConf(servers: readonly string[]): string {
  const wrong = servers.find((server) => !/^[a-zA-Z0-9.:-]+$/.test(server));
  if (wrong !== undefined || servers.length === 0) {
    throw new AtollError('INPUT_INVALID', `Cannot use NTP server "${wrong ?? ''}"`, {
      hint: 'Name at least one host or address that answers NTP inside the network',
    });
  }
  return [
    ...sortedUnique(servers).map((server) => `server ${server} iburst`),
    'driftfile /var/lib/chrony/drift',
    'makestep 1.0 3',
    'rtcsync',
    'logdir /var/log/chrony',
    '',
  ].join('\n');
}
