import type { PullSecret } from '../../generate/pull-secret.ts';
import type { Platform } from '../../oci/descriptor.ts';
import type { RegistriesConf } from '../../oci/registries/model.ts';
import type { Policy } from './policy.ts';

/** Where a part of the configuration was read, for messages. */
export interface ConfigOrigins {
  readonly rules: readonly string[];
  readonly pullSecret: string;
  readonly trust: string;
  readonly hosts: string;
}

/** All that a node will have to find, trust and be trusted by registries. Nothing of this machine. */
export interface NodeConfig {
  /** Mirror rules of every file together; each names the file that says so. */
  readonly conf: RegistriesConf;
  readonly pullSecret: PullSecret;
  /** PEM of the additional trust bundle; empty when there is none. */
  readonly trustBundle: string;
  /** Folder of `HOST[:PORT]` folders with more CAs, as image.config.openshift.io brings them. */
  readonly certsDir: string | undefined;
  readonly hosts: ReadonlyMap<string, string>;
  /** Whether names that the hosts file lacks are asked of DNS. */
  readonly dns: boolean;
  readonly policy: Policy | undefined;
  /** `HTTPS_PROXY` and its like, from the install-config and nowhere else. */
  readonly proxy: Readonly<Record<string, string>>;
  /** What the nodes run on: of an index only these images are pulled. */
  readonly platforms: readonly Platform[];
  /** The RHEL that the install-config chooses; undefined leaves it to the release. */
  readonly osImageStream: string | undefined;
  /** Rules the bootstrap machine has, where they are not all of `conf`: those of the install-config. */
  readonly bootstrapConf: RegistriesConf | undefined;
  readonly origins: ConfigOrigins;
}
