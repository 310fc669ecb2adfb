import { SIGNATURE_STORES } from '../../../content/release/signatures/gpg.ts';
import { loadReleaseKeys } from '../../../content/release/signatures/release-keys.ts';
import { loadSigstoreKey } from '../../../content/release/signatures/sigstore.ts';
import { type ReleaseVerdict, verifyOpenRelease } from '../../../content/release/verify-release.ts';
import { defineCommand, type OptionSpec, type Style } from '../../command.ts';
import { onOff, text, texts } from '../../flags.ts';
import { RELEASE_ARGUMENT, RELEASE_OPTIONS, withRelease } from './release-input.ts';

/** The flags of every command that verifies releases. */
const SIGNATURE_OPTIONS = {
  releaseKey: texts('FILE', 'Armored public key to trust instead of the keys of Red Hat'),
  signatureStore: texts(
    'URL',
    'Where GPG signatures are, https:// or file://, instead of the public stores',
  ),
  sigstoreKey: text('FILE', 'Public key with which Sigstore signatures are verified'),
} as const satisfies Readonly<Record<string, OptionSpec>>;

const SOME_MISSING = 7;
const UNTRUSTED = 5;

export const releaseVerifyCommand = defineCommand({
  name: 'release verify',
  summary: 'Verify the signatures of a release, and with --images that all of it is there',
  description:
    'Verifies the GPG signature over the digest that was read, with the keys of Red Hat unless ' +
    '--release-key gives others, and looks for the Sigstore signature, which --sigstore-key verifies.',
  arguments: [RELEASE_ARGUMENT],
  options: {
    images: onOff('Look for every component image too'),
    ...SIGNATURE_OPTIONS,
    ...RELEASE_OPTIONS,
  },
  examples: {
    'atoll release verify quay.io/openshift-release-dev/ocp-release:4.18.1-x86_64':
      'with the keys of Red Hat',
    'atoll release verify --images mirror.example:8443/ocp/openshift/release-images:4.18.1-x86_64 --signature-store file:///srv/signatures':
      'the mirror, without the internet',
  },
  async run(ctx, input) {
    const { releaseKey, signatureStore, sigstoreKey, images } = input.options;
    const keys = await loadReleaseKeys(releaseKey);
    const key = sigstoreKey === undefined ? undefined : await loadSigstoreKey(sigstoreKey);
    const given = signatureStore.length > 0 ? signatureStore : SIGNATURE_STORES;
    return await withRelease(ctx, input, async ({ release, reach, web, lookaside }) => {
      const stores = lookaside ? [lookaside, ...given] : given;
      const trust = { web, keys, stores };
      const options = { trust, sigstoreKey: key, images: images ? reach : undefined };
      return await verifyOpenRelease(ctx, release, options);
    });
  },
  text: verdictText,
  exitCode: ({ images }) => {
    if (images && images.wrong.length > 0) return UNTRUSTED;
    return images && images.missing.length > 0 ? SOME_MISSING : 0;
  },
});

function verdictText(verdict: ReleaseVerdict, style: Style): string {
  const { version, digest, signature, sigstore, images } = verdict;
  const lines = [
    `${style.green('verified')}  release ${style.bold(version)} ${digest}`,
    `signed    ${signature.identity} by key ${signature.keyId}`,
    `sigstore  ${sigstore}`,
  ];
  if (!images) return lines.join('\n');
  return [
    ...lines,
    `images    ${images.found} found, ${images.missing.length} missing, ${images.signed} signed`,
    ...images.missing.map((name) => `  ${style.red(name)}`),
    ...images.wrong.map(
      (name) => `  ${style.red(name)}: its Sigstore signature is not to be trusted`,
    ),
  ].join('\n');
}
