import type { ReleaseVersion } from '../../openshift/version.ts';
import type { AwsFacts } from './platforms/aws/facts.ts';

/** What is known about the world the cluster will live in. What is absent is not checked. */
export interface InstallFacts {
  readonly version?: ReleaseVersion | undefined;
  /** No way to the internet at all. */
  readonly disconnected?: boolean | undefined;
  readonly mirror?: MirrorFacts | undefined;
  /** Repositories of the release image and all its components, as the payload names them. */
  readonly releaseRepositories?: readonly string[] | undefined;
  readonly aws?: AwsFacts | undefined;
  /** For the validity of certificates. */
  readonly now?: Date | undefined;
}

export interface MirrorFacts {
  /** `host[:port]`, as nodes will write it. */
  readonly host: string;
  /** PEM of what it shows in a TLS handshake: its own certificate first. */
  readonly certificates?: string | undefined;
}
