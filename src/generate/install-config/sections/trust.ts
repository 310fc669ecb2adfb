import type { X509Certificate } from 'node:crypto';
import { hostNameOf } from '../../../oci/registries/location.ts';
import { knows } from '../../../openshift/features.ts';
import type { ReleaseVersion } from '../../../openshift/version.ts';
import { isFor, isSignedBy, readPemBundle } from '../certificates.ts';
import type { MirrorFacts } from '../facts.ts';
import { type Fields, text } from '../fields.ts';
import type { Surroundings } from '../traits.ts';
import { error, oneOf, type Violation, warning, when } from '../violation.ts';

export interface TrustInput {
  readonly additionalTrustBundle?: string | undefined;
  readonly additionalTrustBundlePolicy?: 'Always' | 'Proxyonly' | undefined;
}

export const trustFields = { additionalTrustBundle: text, additionalTrustBundlePolicy: text };
type TrustConfig = Fields<typeof trustFields>;

export function buildTrust(input: TrustInput, version: ReleaseVersion | undefined) {
  if (!input.additionalTrustBundle) return {};
  // Pods get the bundle too, not only nodes: image imports and the update service need it.
  const policy = input.additionalTrustBundlePolicy ?? 'Always';
  return {
    additionalTrustBundle: `${input.additionalTrustBundle.trimEnd()}\n`,
    ...(knows(version, 'additionalTrustBundlePolicy')
      ? { additionalTrustBundlePolicy: policy }
      : {}),
  };
}

const PATH = 'additionalTrustBundle';
const SOON_MS = 30 * 24 * 3_600_000;

/** The bundle itself, and whether it really makes nodes trust the mirror. */
export function checkTrust(config: TrustConfig, { facts }: Surroundings): Violation[] {
  const policy = config.additionalTrustBundlePolicy;
  return [
    ...checkBundle(config.additionalTrustBundle),
    ...oneOf(`${PATH}Policy`, policy, ['Always', 'Proxyonly']),
    ...(facts.mirror ? checkMirror(config, facts.mirror, facts.now) : []),
  ];
}

function checkBundle(text: string | undefined): Violation[] {
  if (text === undefined || text === '') return [];
  const { certificates, broken, rest } = readPemBundle(text);
  return [
    ...broken.map((position) =>
      error(PATH, `block ${position} is not a certificate`, 'Leave only CERTIFICATE blocks in it'),
    ),
    ...when(rest !== '', () =>
      error(
        PATH,
        'something follows its last PEM block',
        'Remove half blocks, comments and blank lines there',
      ),
    ),
    ...when(certificates.length === 0 && broken.length === 0, () =>
      error(PATH, 'it holds no certificate', 'Give the PEM of the CA, starting with "-----BEGIN"'),
    ),
    ...certificates.flatMap((one, index) =>
      when(!one.ca, () =>
        warning(PATH, `certificate ${index + 1} is not a CA`, 'Give the CA that signed it instead'),
      ),
    ),
  ];
}

function checkMirror(config: TrustConfig, mirror: MirrorFacts, now: Date | undefined): Violation[] {
  const shown = readPemBundle(mirror.certificates ?? '').certificates;
  const [leaf] = shown;
  if (!leaf) return [];
  const bundle = readPemBundle(config.additionalTrustBundle ?? '').certificates;
  const name = hostNameOf(mirror.host);
  return [
    ...when(!isSignedBy(shown, bundle), () =>
      error(
        PATH,
        `it does not sign the certificate of ${mirror.host}, issued by "${issuerOf(leaf)}"`,
        'Add the CA that signed the mirror, or let the mirror show its intermediates',
      ),
    ),
    ...when(!isFor(leaf, name), () =>
      error(
        'imageDigestSources',
        `the certificate of the mirror is not for "${name}": ${leaf.subjectAltName ?? 'it has no SAN'}`,
        'Use a name of the certificate, or issue one with this name as a SAN',
      ),
    ),
    ...(now ? checkValidity(leaf, mirror, now) : []),
  ];
}

function checkValidity(leaf: X509Certificate, mirror: MirrorFacts, now: Date): Violation[] {
  const left = Date.parse(leaf.validTo) - now.getTime();
  const early = Date.parse(leaf.validFrom) > now.getTime();
  const subject = `the certificate of ${mirror.host}`;
  const path = 'imageDigestSources';
  const fix = 'Renew it before the install';
  return [
    ...when(left <= 0, () => error(path, `${subject} expired on ${leaf.validTo}`, fix)),
    ...when(early, () =>
      error(path, `${subject} is not valid before ${leaf.validFrom}`, 'Check the clocks'),
    ),
    ...when(left > 0 && left < SOON_MS, () =>
      warning(path, `${subject} expires on ${leaf.validTo}`, fix),
    ),
  ];
}

const issuerOf = (certificate: X509Certificate): string =>
  certificate.issuer.split('\n').join(', ');
