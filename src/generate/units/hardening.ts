import type { UnitLine } from './unit-file.ts';

export interface HardeningInput {
  /** The only places the service may write to. */
  readonly writable: readonly string[];
  /** The lowest port it listens on: below 1024 needs a capability. */
  readonly lowestPort?: number | undefined;
}

/**
 * What a network service that writes into one directory can do without. `MemoryDenyWriteExecute`
 * is not here: a JavaScript engine compiles at run time.
 */
export function hardening(input: HardeningInput): UnitLine[] {
  const bind = (input.lowestPort ?? 1024) < 1024 ? 'CAP_NET_BIND_SERVICE' : '';
  return [
    ['NoNewPrivileges', 'yes'],
    ['CapabilityBoundingSet', bind],
    ['AmbientCapabilities', bind],
    ['ProtectSystem', 'strict'],
    ['ReadWritePaths', input.writable.join(' ')],
    ['ProtectHome', 'yes'],
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
