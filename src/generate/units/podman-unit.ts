import { execLine, unitFile } from './unit-file.ts';

export interface Volume {
  readonly host: string;
  readonly container: string;
  readonly readOnly?: boolean | undefined;
}

export interface PodmanUnitInput {
  /** Name of the container; the unit is `<name>.service`. */
  readonly name: string;
  readonly description: string;
  readonly image: string;
  readonly volumes: readonly Volume[];
  readonly command?: readonly string[] | undefined;
  readonly user?: string | undefined;
}

/** A container on the network of the host, kept running by systemd. */
export function podmanUnit(input: PodmanUnitInput): string {
  return unitFile({
    Unit: [
      ['Description', input.description],
      ['Wants', 'network-online.target'],
      ['After', 'network-online.target'],
      ['RequiresMountsFor', input.volumes.map(({ host }) => host).join(' ')],
      ['StartLimitIntervalSec', 0],
    ],
    Service: [
      ['Type', 'exec'],
      ['ExecStart', execLine(runCommand(input))],
      ['ExecStop', execLine(['/usr/bin/podman', 'stop', '--ignore', '--time', '30', input.name])],
      ['Restart', 'always'],
      ['RestartSec', 30],
      ['TimeoutStartSec', 600],
      ['TimeoutStopSec', 70],
    ],
    Install: [['WantedBy', 'multi-user.target']],
  });
}

function runCommand(input: PodmanUnitInput): string[] {
  return [
    ...['/usr/bin/podman', 'run', '--rm', '--replace', '--name', input.name],
    ...['--network', 'host', '--log-driver', 'journald'],
    ...['--security-opt', 'no-new-privileges', '--read-only'],
    ...(input.user === undefined ? [] : ['--user', input.user]),
    ...input.volumes.flatMap((volume) => ['--volume', volumeArgument(volume)]),
    input.image,
    ...(input.command ?? []),
  ];
}

/** `z` gives the files the SELinux label that containers may read. */
function volumeArgument({ host, container, readOnly }: Volume): string {
  return `${host}:${container}:${readOnly ? 'ro,z' : 'z'}`;
}
