import { AtollError } from '../../../core/errors.ts';
import type { CertificatePaths } from '../../../registry/tls/certificate-file.ts';
import { renewCertificate } from '../../../registry/tls/renew.ts';
import { defineCommand } from '../../command.ts';

/** The site's own certificate, where one was given: both files or none. */
export function ownCertificate(
  certificate: string | undefined,
  key: string | undefined,
): CertificatePaths | undefined {
  if (certificate !== undefined && key !== undefined) return { certificate, key };
  if (certificate === undefined && key === undefined) return undefined;
  throw new AtollError('USAGE', 'Cannot use one of --certificate and --key without the other', {
    hint: 'Give both',
  });
}

export const registryRenewCommand = defineCommand({
  name: 'registry renew',
  summary: 'Renew the certificate of a registry; a running one picks it up',
  options: {
    dir: { type: 'string', value: 'DIR', default: 'registry', summary: 'Folder of the registry' },
    host: {
      type: 'strings',
      value: 'NAME[,IP]',
      summary: 'Other names and addresses than before',
    },
    days: { type: 'number', value: 'DAYS', summary: 'How long it is valid (default 730)' },
    certificate: { type: 'string', value: 'FILE', summary: 'Take this one instead of signing' },
    key: { type: 'string', value: 'FILE', summary: 'Its private key' },
  },
  examples: {
    'atoll registry renew --dir /opt/registry': 'same names, two more years',
    'atoll registry renew --host mirror.example.com,10.0.0.6': 'for other names',
  },
  async run(ctx, { options }) {
    const hosts = options.host.flatMap((text) => text.split(',')).filter((text) => text !== '');
    const {
      certificate,
      hosts: names,
      expiresAt,
    } = await renewCertificate(ctx, {
      directory: options.dir,
      hosts: hosts.length > 0 ? hosts : undefined,
      days: options.days,
      certificate: ownCertificate(options.certificate, options.key),
    });
    return { certificate, hosts: names, expiresAt: expiresAt.toISOString() };
  },
  text: ({ certificate, hosts, expiresAt }) =>
    `${certificate}: for ${hosts.join(', ')}, valid until ${expiresAt.slice(0, 10)}`,
});
