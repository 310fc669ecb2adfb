import { distributionConfig, type UpstreamRegistry } from '../units/distribution-config.ts';
import { podmanUnit } from '../units/podman-unit.ts';
import { certificateFiles, type ServerCertificate } from './certificate-files.ts';
import { textFile } from './config.ts';
import type { IgnitionPart } from './parts.ts';

/** CNCF distribution (`registry:2`) in a container. */
export interface DistributionRegistry {
  readonly kind: 'distribution';
  readonly image?: string | undefined;
  readonly port?: number | undefined;
  /** Lines of its htpasswd file, with bcrypt hashes. */
  readonly htpasswd?: string | undefined;
}

export interface DistributionInput extends Omit<DistributionRegistry, 'kind'> {
  readonly port: number;
  /** Makes it a pull-through cache. */
  readonly cacheOf?: UpstreamRegistry | undefined;
}

export const DISTRIBUTION_IMAGE = 'docker.io/library/registry:2';
const INSIDE = '/etc/registry';

/** A container on one port; also the form of a pull-through cache. */
export function distributionPart(
  input: DistributionInput,
  certificate: ServerCertificate | undefined,
): IgnitionPart {
  const { port, htpasswd } = input;
  const host = `/var/lib/atoll/registry-${port}`;
  const secret = { mode: 0o600 };
  return {
    directories: [`${host}/data`, `${host}/etc`].map((path) => ({ path, mode: 0o700 })),
    files: [
      textFile(`${host}/etc/config.yml`, configText(input, certificate !== undefined), secret),
      ...certificateFiles(`${host}/etc`, certificate),
      ...(htpasswd ? [textFile(`${host}/etc/htpasswd`, htpasswd, secret)] : []),
    ],
    units: [{ name: `registry-${port}.service`, enabled: true, contents: unitText(input, host) }],
  };
}

function configText({ port, htpasswd, cacheOf }: DistributionInput, hasTls: boolean): string {
  return distributionConfig({
    port,
    data: '/var/lib/registry',
    ...(hasTls ? { tls: { certificate: `${INSIDE}/tls.crt`, key: `${INSIDE}/tls.key` } } : {}),
    ...(htpasswd ? { htpasswd: `${INSIDE}/htpasswd` } : {}),
    cacheOf,
  });
}

function unitText({ port, image, cacheOf }: DistributionInput, host: string): string {
  return podmanUnit({
    name: `registry-${port}`,
    description: cacheOf ? `Pull-through cache of ${cacheOf.url}` : 'Mirror registry',
    image: image ?? DISTRIBUTION_IMAGE,
    command: [`${INSIDE}/config.yml`],
    volumes: [
      { host: `${host}/data`, container: '/var/lib/registry' },
      { host: `${host}/etc`, container: INSIDE, readOnly: true },
    ],
  });
}
