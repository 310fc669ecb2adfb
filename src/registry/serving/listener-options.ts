import type { AccessSink } from '../access/access-log.ts';
import type { Authenticator } from '../auth/authenticator.ts';
import type { ChallengeOptions } from './challenge.ts';
import type { Service } from './exchange.ts';

export const HEADERS_TIMEOUT_MS = 20_000;
export const KEEP_ALIVE_MS = 65_000;

/** How one listener answers. */
export interface ListenerOptions {
  readonly name: string;
  readonly service: Service;
  readonly authenticator: Authenticator;
  readonly challenge: ChallengeOptions;
  readonly onAccess: AccessSink | undefined;
  /** Answers what is not the distribution API; undefined for a path it does not know. */
  readonly page: (path: string) => Promise<Page | undefined>;
  /** Whether `/metrics` wants a login. */
  readonly metricsLogin: boolean;
  readonly tls?: { readonly cert: Buffer; readonly key: Buffer } | undefined;
}

export interface Page {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}
