import { execLine, type UnitLine, unitFile } from './unit-file.ts';

export interface RegistryUnitInput {
  /** Where atoll itself lies. */
  readonly program?: string | readonly string[] | undefined;
  /** The configuration `atoll registry serve` reads. */
  readonly config?: string | undefined;
  /** Where the content lies: the only place the service may write. */
  readonly data?: string | undefined;
  readonly user?: string | undefined;
  /** Default: the one named like the user. */
  readonly group?: string | undefined;
  /** The lowest port of its listeners. */
  readonly lowestPort?: number | undefined;
  /** Auth file with the logins of upstreams, for pull-through caches. */
  readonly upstreamAuth?: string | undefined;
}

export const REGISTRY_UNIT = 'atoll-registry.service';
export const REGISTRY_DEFAULTS = {
  program: '/usr/local/bin/atoll',
  config: '/etc/atoll/registry/config.yaml',
  data: '/var/lib/atoll/registry',
  user: 'atoll',
} as const;

/** The embedded registry as a service with its own user and as few rights as it can live with. */
export function registryUnit(input: RegistryUnitInput = {}): string {
  const program = [input.program ?? REGISTRY_DEFAULTS.program].flat();
  const config = input.config ?? REGISTRY_DEFAULTS.config;
  const data = input.data ?? REGISTRY_DEFAULTS.data;
  const user = input.user ?? REGISTRY_DEFAULTS.user;
  const logins = input.upstreamAuth === undefined ? [] : ['--authfile', input.upstreamAuth];
  return unitFile({
    Unit: [
      ['Description', 'Mirror registry (atoll)'],
      ['Wants', 'network-online.target'],
      ['After', 'network-online.target'],
      ['RequiresMountsFor', data],
      // A host that keeps crashing it should keep trying: nodes wait for it.
      ['StartLimitIntervalSec', 0],
    ],
    Service: [
      ['Type', 'exec'],
      ['User', user],
      ['Group', input.group ?? user],
      ['ExecStart', execLine([...program, 'registry', 'serve', '--config', config, ...logins])],
      ['Restart', 'always'],
      ['RestartSec', 5],
      ['TimeoutStopSec', 90],
      ['LimitNOFILE', 65536],
      ...hardening({
        writable: [data],
        lowestPort: input.lowestPort,
        usesHome: [...program, config, data].some((path) => /^\/(?:home|root)\//.test(path)),
      }),
    ],
    Install: [['WantedBy', 'multi-user.target']],
  });
}

/** Starts the registry as soon as its program is there: it may be copied after the first boot. */
export function registryPathUnit(program: string = REGISTRY_DEFAULTS.program): string {
  return unitFile({
    Unit: [['Description', 'Wait for the program of the mirror registry']],
    Path: [
      ['PathExists', program],
      ['Unit', REGISTRY_UNIT],
    ],
    Install: [['WantedBy', 'multi-user.target']],
  });
}

interface HardeningInput {
  /** The only places the service may write to. */
  readonly writable: readonly string[];
  /** The lowest port it listens on: below 1024 needs a capability. */
  readonly lowestPort?: number | undefined;
  /** Whether something it needs is in somebody's home. */
  readonly usesHome?: boolean | undefined;
}

/**
 * What a network service that writes into one directory can do without. `MemoryDenyWriteExecute`
 * is not here: a JavaScript engine compiles at run time.
 */
function hardening(input: HardeningInput): UnitLine[] {
  const bind = (input.lowestPort ?? 1024) < 1024 ? 'CAP_NET_BIND_SERVICE' : '';
  return [
    ['NoNewPrivileges', 'yes'],
    ['CapabilityBoundingSet', bind],
    ['AmbientCapabilities', bind],
    ['ProtectSystem', 'strict'],
    ['ReadWritePaths', input.writable.join(' ')],
    ['ProtectHome', input.usesHome ? 'no' : 'yes'],
    ['ProtectClock', 'yes'],
    ['ProtectControlGroups', 'yes'],
    ['ProtectHostname', 'yes'],
    ['ProtectKernelLogs', 'yes'],
    ['ProtectKernelModules', 'yes'],
    ['ProtectKernelTunables', 'yes'],
    ['ProtectProc', 'invisible'],
    ['PrivateDevices', 'yes'],
    ['PrivateTmp', 'yes'],
    ['RestrictAddressFamilies', 'AF_INET AF_INET6 AF_UNIX AF_NETLINK'],
    ['RestrictNamespaces', 'yes'],
    ['RestrictRealtime', 'yes'],
    ['RestrictSUIDSGID', 'yes'],
    ['LockPersonality', 'yes'],
    ['SystemCallArchitectures', 'native'],
    ['SystemCallFilter', ['@system-service', '~@privileged @resources']],
    ['SystemCallErrorNumber', 'EPERM'],
    ['UMask', '0077'],
  ];
}
