import type { OptionSpec } from '../../command.ts';

/** The flags of every command that verifies releases. */
export const SIGNATURE_OPTIONS = {
  releaseKey: {
    type: 'strings',
    value: 'FILE',
    summary: 'Armored public key to trust instead of the keys of Red Hat',
  },
  signatureStore: {
    type: 'strings',
    value: 'URL',
    summary: 'Where GPG signatures are, https:// or file://, instead of the public stores',
  },
  sigstoreKey: {
    type: 'string',
    value: 'FILE',
    summary: 'Public key with which Sigstore signatures are verified',
  },
} as const satisfies Readonly<Record<string, OptionSpec>>;
