/** How the key that a host shows is known to be the right one. None of them trusts at first sight. */
export type HostKeyPin =
  /** A known_hosts file. */
  | { readonly knownHosts: string }
  /** Public keys as `ssh-keygen` writes them: `ssh-ed25519 AAAA…`. */
  | { readonly keys: readonly string[] }
  /** `SHA256:…`, as consoles print them. */
  | { readonly fingerprints: readonly string[] };

export interface SshTarget {
  /** Host name, address, or a name in the user's own configuration. */
  readonly address: string;
  readonly user?: string | undefined;
  readonly port?: number | undefined;
  /** File of the private key; without it the agent's and those of the user's configuration. */
  readonly identity?: string | undefined;
  /** Hosts on the way, as `ssh -J` takes them. Their keys are those the user knows. */
  readonly jump?: string | undefined;
  /** Another configuration file in place of the user's own. */
  readonly config?: string | undefined;
  /** Without it, the hosts that the user knows. */
  readonly pin?: HostKeyPin | undefined;
  /** After how many seconds an attempt to connect is given up. */
  readonly connectSeconds?: number | undefined;
  /** How many seconds the line may be silent before it is asked whether it is there; four times. */
  readonly aliveSeconds?: number | undefined;
}

/** Under which name keys that were handed in are kept: addresses and ports may change. */
export const PINNED_NAME = 'atoll-pinned-host';

export function nameOf({ user, address }: SshTarget): string {
  return user === undefined ? address : `${user}@${address}`;
}

/** While it connects, all it says counts; later only what goes wrong, beside what programs print. */
export const LOUD = ['-o', 'LogLevel=INFO'];
export const QUIET = ['-o', 'LogLevel=ERROR'];

/** The arguments of every `ssh` to this host, but for the command. Never a secret. */
export function sshArguments(target: SshTarget, pinned: readonly string[]): string[] {
  const { user, port, identity, jump, config, connectSeconds = 15, aliveSeconds = 15 } = target;
  const options = [
    'BatchMode=yes',
    'ClearAllForwardings=yes',
    'ForwardAgent=no',
    'ForwardX11=no',
    'PermitLocalCommand=no',
    'RemoteCommand=none',
    'RequestTTY=no',
    'UpdateHostKeys=no',
    `ConnectTimeout=${connectSeconds}`,
    `ServerAliveInterval=${aliveSeconds}`,
    'ServerAliveCountMax=4',
    ...pinned,
    ...(identity === undefined ? [] : ['IdentitiesOnly=yes']),
  ];
  return [
    ...(config === undefined ? [] : ['-F', config]),
    ...options.flatMap((option) => ['-o', option]),
    ...(identity === undefined ? [] : ['-i', identity]),
    ...(jump === undefined ? [] : ['-J', jump]),
    ...(port === undefined ? [] : ['-p', String(port)]),
    ...(user === undefined ? [] : ['-l', user]),
  ];
}
