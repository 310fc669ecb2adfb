/** How servers are reached: trust, names, proxies. The environment's settings, or the ones here. */
export interface HttpOptions {
  /** PEM files of CAs trusted besides the system's. */
  readonly ca?: readonly string[] | undefined;
  /** `true` for all, or hosts for which http and unverified TLS are allowed. */
  readonly insecure?: boolean | readonly string[] | undefined;
  /** Folder of `<host>[:port]/` folders to use instead of the system's `certs.d`. */
  readonly certsDir?: string | undefined;
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** Names as a node resolves them, instead of DNS; undefined: there is no such host. */
  readonly addressOf?:
    | ((host: string) => string | undefined | Promise<string | undefined>)
    | undefined;
  /** The address of this machine that connections come from; by default the system chooses. */
  readonly localAddress?: string | undefined;
}

/** Times of one connection. Tests make them small; nobody else should need to. */
export interface HttpTuning {
  /** Until a connection, its tunnel and its TLS are up. */
  readonly connectTimeoutMs: number;
  /** Within this time some bytes must move while a body is under way. */
  readonly stallTimeoutMs: number;
  /** Until the head of an answer is complete, counted from the last byte of the request. */
  readonly answerTimeoutMs: number;
  /** How long an unused connection is kept, unless the server says less. */
  readonly keepAliveMs: number;
}

export const HTTP_TUNING: HttpTuning = {
  connectTimeoutMs: 20_000,
  stallTimeoutMs: 60_000,
  answerTimeoutMs: 300_000,
  keepAliveMs: 20_000,
};
