import { AtollError } from '../core/errors.ts';
import { counted } from '../core/format.ts';
import type { Site } from './read-site.ts';
import { siteDefaults } from './schema.ts';

interface Field {
  readonly name: string;
  readonly isSet: (site: Site) => boolean;
  readonly instead: string;
}

const IGNITION = '"atoll render ignition" takes it as a flag';

/** What is said about a bastion, and read by those who make it. */
const OF_A_MADE_BASTION: readonly Field[] = [
  { name: 'bastion.ami', isSet: ({ bastion }) => bastion.ami !== undefined, instead: 'remove it' },
  {
    name: 'bastion.user',
    isSet: ({ bastion }) =>
      bastion.address === undefined && bastion.user !== siteDefaults.bastionUser,
    instead: IGNITION,
  },
  {
    name: 'bastion.sshKey',
    isSet: ({ bastion }) => bastion.sshKey !== undefined,
    instead: IGNITION,
  },
  {
    name: 'bastion.allowFrom',
    isSet: ({ bastion }) => bastion.allowFrom.length > 0,
    instead: 'close its ports with the firewall it has',
  },
  {
    name: 'proxy.enabled',
    isSet: ({ proxy }) => proxy.enabled,
    instead: 'run a proxy there ("atoll render squid-conf" writes its file) and name it: proxy.url',
  },
  {
    name: 'proxy.port',
    isSet: ({ proxy }) => proxy.port !== siteDefaults.proxyPort,
    instead: '"atoll render squid-conf" takes it as a flag',
  },
];

/** A field that no stage would read is refused: it would silently do nothing. */
export function refuseUnread(site: Site): void {
  if (site.platformKind.makesBastion) return;
  const unread = OF_A_MADE_BASTION.filter(({ isSet }) => isSet(site));
  if (unread.length === 0) return;
  const names = unread.map(({ name }) => name).join(', ');
  throw new AtollError(
    'INPUT_INVALID',
    `Cannot use ${names} on platform "${site.platformKind.name}": atoll makes no bastion there`,
    {
      hint: unread.map(({ name, instead }) => `${name}: ${instead}`).join('; '),
      details: { fields: counted(unread.length, 'field') },
    },
  );
}
