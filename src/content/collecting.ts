import type { KeyObject } from 'node:crypto';
import { AtollError, messageOf } from '../core/errors.ts';
import type { Web } from '../http/web.ts';
import type { Source } from '../oci/content.ts';
import type { Reference } from '../oci/reference.ts';
import type { CollectFailure } from './content-image.ts';
import type { ChartLogin } from './helm/chart-login.ts';
import type { ReleaseKeys } from './release/signatures/release-keys.ts';

/** What collecting needs of the world, and the choices of the command line. */
export interface CollectDeps {
  /** Where an image is read: `registries.source`, which goes through `registries.conf`. */
  readonly source: (reference: Reference) => Source;
  readonly web: Web;
  /** Update service URL, graph file, or folder of graph files; the public service by default. */
  readonly graph?: string | undefined;
  /** URL or file with the graph data, for the graph image. */
  readonly graphData?: string | undefined;
  /** Image the graph data is put on. */
  readonly graphBaseImage?: string | undefined;
  /** Red Hat's by default. */
  readonly releaseKeys?: ReleaseKeys | undefined;
  readonly signatureStores?: readonly string[] | undefined;
  /** Where `registries.d` says that GPG signatures of an image lie; asked before the stores. */
  readonly lookaside?: ((reference: Reference) => Promise<string | undefined>) | undefined;
  /** Takes releases whose GPG signature is missing or wrong, and says so. */
  readonly ignoreReleaseSignature?: boolean | undefined;
  /** With a key Sigstore signatures are verified, not only looked for. */
  readonly sigstoreKey?: KeyObject | undefined;
  /** Where files are kept that were downloaded for the mirror. */
  readonly downloads?: string | undefined;
  /** The `helm` to render charts with, instead of the one on the PATH. */
  readonly helm?: string | undefined;
  /** Logins of chart repositories, by their URL. */
  readonly chartLogin?: ((url: string) => Promise<ChartLogin | undefined>) | undefined;
}

/** How a failure is noted so that the rest can go on. */
export function failureOf(subject: string, error: unknown): CollectFailure {
  if (!(error instanceof AtollError)) return { subject, message: messageOf(error) };
  return {
    subject,
    code: error.code,
    message: error.message,
    ...(error.hint === undefined ? {} : { hint: error.hint }),
  };
}
