import type { Digest } from './digest.ts';

export interface Platform {
  readonly os: string;
  readonly architecture: string;
  readonly variant?: string | undefined;
  readonly 'os.version'?: string | undefined;
}

/** Media type, digest and size of one piece of content, as OCI describes it. */
export interface Descriptor {
  readonly mediaType: string;
  readonly digest: Digest;
  readonly size: number;
  readonly urls?: readonly string[] | undefined;
  readonly annotations?: Readonly<Record<string, string>> | undefined;
  readonly platform?: Platform | undefined;
  readonly artifactType?: string | undefined;
}

/** Only what identifies the content: no annotations, platform or URLs of the place that refers to it. */
export function bare({ mediaType, digest, size }: Descriptor): Descriptor {
  return { mediaType, digest, size };
}
