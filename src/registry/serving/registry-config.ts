import type { Store } from '../../store/store.ts';
import type { AccessSink } from '../access/access-log.ts';
import type { ComparePassword } from '../auth/passwords.ts';
import type { ConnectUpstream } from '../cache/pull-through.ts';
import type { QuotaRule } from '../storage/quotas.ts';
import type { CertificatePaths } from '../tls/certificate-file.ts';
import type { Limits } from './limits.ts';
import type { Snapshot } from './metrics.ts';

/** Where to listen, and what to serve there: the store, or a cache of one upstream, never both. */
export interface ListenerConfig {
  /** Defaults to loopback. */
  readonly host?: string | undefined;
  /** 0 takes any free one. */
  readonly port: number;
  readonly tls?: CertificatePaths | undefined;
  /** Host of the registry whose content this listener fetches and keeps. */
  readonly upstream?: string | undefined;
}

export interface AuthConfig {
  readonly htpasswd: string;
  /** Without it every user may pull everything. */
  readonly grants?: string | undefined;
  /** File of robots' tokens and of what signs short-lived ones; without it there are no tokens. */
  readonly tokens?: string | undefined;
  /** What clients are asked for; Basic unless it says otherwise. */
  readonly challenge?: 'basic' | 'bearer' | undefined;
  /** URL of `/token` as clients reach it, where that is not the name they use for the registry. */
  readonly realm?: string | undefined;
  readonly anonymousPull?: boolean | undefined;
  /** `/metrics` wants a login too, of any user. */
  readonly metricsLogin?: boolean | undefined;
}

export interface RegistryConfig {
  readonly store: Store;
  readonly listeners: readonly ListenerConfig[];
  /** Without it everybody may do everything. */
  readonly auth?: AuthConfig | undefined;
  readonly readOnly?: boolean | undefined;
  readonly redirect?: boolean | undefined;
  /** Patterns such as `ocp/release:*`: a tag that fits one neither moves nor goes once it is set. */
  readonly protectedTags?: readonly string[] | undefined;
  readonly quotas?: readonly QuotaRule[] | undefined;
  /** File of JSON lines; several processes may share it. */
  readonly accessLog?: string | undefined;
  readonly onAccess?: AccessSink | undefined;
  readonly limits?: Partial<Limits> | undefined;
  /** Needed for a listener with an upstream. */
  readonly connect?: ConnectUpstream | undefined;
  /** Compares passwords elsewhere than in this process, which has requests to answer. */
  readonly comparePassword?: ComparePassword | undefined;
  /** Numbers of the other processes that serve the same store. */
  readonly peerMetrics?: (() => readonly Snapshot[]) | undefined;
  /** Replaces the look at the disk, for tests. */
  readonly measureFreeBytes?: (() => Promise<number>) | undefined;
}

export interface RunningListener {
  /** `host:port` as clients write it. */
  readonly host: string;
  readonly port: number;
  readonly url: string;
}

export interface RunningRegistry {
  readonly listeners: readonly RunningListener[];
  /** Of the first listener. */
  readonly host: string;
  readonly url: string;
  snapshot(): Snapshot;
  /** Looks at the certificates now instead of within a second. */
  reloadCertificates(): Promise<void>;
  /** Takes no new connections and lets what is under way finish, for at most `drainMs`. */
  close(drainMs?: number): Promise<void>;
}
