import { AtollError } from '../../core/errors.ts';
import { digestOf } from '../../oci/digest.ts';
import { DEFAULT_IGNITION_VERSION, type IgnitionVersion, inline } from './config.ts';

export interface UserDataInput {
  /** Where the whole config lies: `s3://bucket/key` or `https://…`. */
  readonly source: string;
  /** The whole config, to check what is fetched against. */
  readonly config?: string | undefined;
  /** Or its hash, as `sha512-HEX` or `sha256-HEX`. */
  readonly hash?: string | undefined;
  /** PEM of CAs that sign the https server. */
  readonly certificateAuthorities?: readonly string[] | undefined;
  readonly version?: IgnitionVersion | undefined;
}

/** What EC2 takes as user data, before base64. */
const MAX_BYTES = 16_384;
const HASH = /^(?:sha512-[0-9a-f]{128}|sha256-[0-9a-f]{64})$/;

/** The hash of a config in the form Ignition verifies. */
export function verificationHash(config: string | Uint8Array): string {
  return digestOf(config, 'sha512').replace(':', '-');
}

/** The small config a machine boots with: it fetches the whole one and refuses any other bytes. */
export function userData(input: UserDataInput): string {
  const hash =
    input.hash ?? (input.config === undefined ? undefined : verificationHash(input.config));
  checkSource(input.source, hash);
  const authorities = (input.certificateAuthorities ?? []).map((pem) => inline(pem));
  const text = JSON.stringify({
    ignition: {
      version: input.version ?? DEFAULT_IGNITION_VERSION,
      config: { replace: { source: input.source, ...(hash ? { verification: { hash } } : {}) } },
      ...(authorities.length > 0
        ? { security: { tls: { certificateAuthorities: authorities } } }
        : {}),
    },
  });
  if (Buffer.byteLength(text) <= MAX_BYTES) return text;
  throw new AtollError('INPUT_INVALID', `Cannot make user data: over ${MAX_BYTES} bytes`, {
    hint: 'Pass only the CA that signs the server of the config, without its chain',
  });
}

function checkSource(source: string, hash: string | undefined): void {
  if (hash !== undefined && !HASH.test(hash)) {
    throw new AtollError('INPUT_INVALID', `Cannot verify with hash "${hash}"`, {
      hint: 'Write "sha512-" or "sha256-" and the hex digits',
    });
  }
  if (/^(?:s3|https):\/\/[^/\s]+\/\S+$/.test(source)) return;
  if (/^http:\/\/[^/\s]+\/\S+$/.test(source) && hash !== undefined) return;
  throw new AtollError('INPUT_INVALID', `Cannot fetch a config from "${source}"`, {
    hint: 'Use s3://BUCKET/KEY or https://HOST/PATH; http:// only together with a hash',
  });
}
