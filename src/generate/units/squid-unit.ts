import { podmanUnit } from './podman-unit.ts';
import { execLine, unitFile } from './unit-file.ts';

/** User and group `squid` in the images of Fedora and RHEL. */
export const SQUID_ID = 23;

export interface SquidUnitInput {
  /** Holds squid.conf and htpasswd, and logs in `log`. */
  readonly folder: string;
  /** The squid that is installed; undefined: the one of the image. */
  readonly program: string | undefined;
  readonly image: string;
}

const DESCRIPTION = 'Proxy for the installation';

/** A unit that runs squid with the configuration in a folder. */
export function squidUnit({ folder, program, image }: SquidUnitInput): string {
  if (program === undefined) return squidContainer({ image, etc: folder, log: `${folder}/log` });
  return unitFile({
    Unit: [
      ['Description', DESCRIPTION],
      ['Wants', 'network-online.target'],
      ['After', 'network-online.target'],
    ],
    Service: [
      ['ExecStart', execLine([program, '--foreground', '-f', `${folder}/squid.conf`])],
      ['Restart', 'always'],
      ['RestartSec', 5],
    ],
    Install: [['WantedBy', 'multi-user.target']],
  });
}

/** The same from an image, where folders of the host hold configuration and logs. */
export function squidContainer({
  image,
  etc,
  log,
}: Readonly<Record<'image' | 'etc' | 'log', string>>): string {
  return podmanUnit({
    name: 'squid',
    description: DESCRIPTION,
    image,
    user: `${SQUID_ID}:${SQUID_ID}`,
    command: ['squid', '--foreground', '-f', '/etc/squid/squid.conf'],
    volumes: [
      { host: etc, container: '/etc/squid', readOnly: true },
      { host: log, container: '/var/log/squid' },
    ],
  });
}
