import { AtollError } from '../../core/errors.ts';
import type { UpstreamRegistry } from '../units/distribution-config.ts';
import { distributionPart } from './bastion-distribution.ts';
import type { ServerCertificate } from './certificate-files.ts';
import type { IgnitionPart } from './parts.ts';

/** A registry that fetches from one upstream what it does not have, and takes no pushes. */
export interface BastionCache extends UpstreamRegistry {
  readonly port: number;
  /** Image of its container, where it is one. */
  readonly image?: string | undefined;
  readonly htpasswd?: string | undefined;
}

export function cachePart(
  cache: BastionCache,
  certificate: ServerCertificate | undefined,
): IgnitionPart {
  const { port, image, htpasswd, url, username, password } = cache;
  if (!/^https?:\/\/[^/\s@%]+\/?$/.test(url)) {
    throw new AtollError('INPUT_INVALID', `Cannot cache "${url.replace(/\/\/.*@/, '//…@')}"`, {
      hint: 'Give the URL of a registry without a path, such as "https://quay.io"',
    });
  }
  const cacheOf = { url, username, password };
  return distributionPart({ port, image, htpasswd, cacheOf }, certificate);
}
