import { hardening } from './hardening.ts';
import { execLine, unitFile } from './unit-file.ts';

export interface RegistryUnitInput {
  /** Where atoll itself lies. */
  readonly program?: string | undefined;
  /** The configuration `atoll registry serve` reads. */
  readonly config?: string | undefined;
  /** Where the content lies: the only place the service may write. */
  readonly data?: string | undefined;
  readonly user?: string | undefined;
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
  const program = input.program ?? REGISTRY_DEFAULTS.program;
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
      ['Group', user],
      ['ExecStart', execLine([program, 'registry', 'serve', '--config', config, ...logins])],
      ['Restart', 'always'],
      ['RestartSec', 5],
      ['TimeoutStopSec', 90],
      ['LimitNOFILE', 65536],
      ...hardening({ writable: [data], lowestPort: input.lowestPort }),
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
