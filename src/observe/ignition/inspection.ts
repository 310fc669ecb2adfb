import type { RegistriesConf } from '../../oci/registries/model.ts';
import type { CertificateSummary } from './certificates.ts';
import type { NamedPlace } from './references.ts';
import type { SecretSummary } from './secrets.ts';
import type { UnitSummary } from './units.ts';

/** One `[[registry]]` of registries.conf. */
export interface MirrorSummary {
  readonly source: string;
  readonly mirrors: readonly string[];
  readonly digestOnly: boolean;
  readonly blocked: boolean;
  readonly insecure: boolean;
}

/** What a machine will do with an Ignition config. Holds no secret. */
export interface Inspection {
  readonly version: string;
  readonly kind: 'bootstrap' | 'pointer' | 'master' | 'worker' | 'other';
  readonly releaseImage?: string;
  /** Configs this one fetches and becomes. */
  readonly fetches: readonly { readonly source: string; readonly verified: boolean }[];
  readonly units: readonly UnitSummary[];
  readonly scripts: readonly { path: string; sizeBytes: number; sha256: string }[];
  readonly mirrors: readonly MirrorSummary[];
  readonly credentialsFor: readonly string[];
  readonly certificates: readonly CertificateSummary[];
  readonly manifests: readonly { path: string; kind: string; name: string }[];
  readonly secrets: readonly SecretSummary[];
  readonly loginKeys: readonly string[];
  readonly otherFiles: readonly string[];
  readonly warnings: readonly string[];
}

/** What warnings are made from. */
export interface Inspected extends Omit<Inspection, 'warnings'> {
  readonly references: readonly NamedPlace[];
  readonly conf: RegistriesConf;
  /** Why files of registries.conf could not be read. */
  readonly unreadable: readonly string[];
  readonly texts: ReadonlyMap<string, string>;
  readonly now: Date;
}
