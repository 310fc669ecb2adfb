import { readText } from '../../../core/files.ts';
import { bastionIgnition } from '../../../generate/ignition/bastion.ts';
import { formatIgnition } from '../../../generate/ignition/config.ts';
import { mergeIgnition } from '../../../generate/ignition/merge.ts';
import { parseIgnition } from '../../../generate/ignition/read.ts';
import { userData, verificationHash } from '../../../generate/ignition/user-data.ts';
import { parseIgnitionVersion } from '../../../generate/ignition/versions.ts';
import { BASTION_OPTIONS, bastionFrom } from './bastion-input.ts';
import { readCertificates, readOptional } from './flag-values.ts';
import { renderCommand } from './render-command.ts';

export const renderIgnitionCommand = renderCommand({
  name: 'render ignition',
  summary: 'Ignition config of a bastion: users, registry, caches, proxy, disks',
  description:
    'Only the parts that are asked for are in it. The result holds private keys and password ' +
    'hashes, so --to writes it for the owner only.',
  options: {
    ...BASTION_OPTIONS,
    merge: {
      type: 'strings',
      value: 'FILE',
      summary: 'Ignition config to lay over the result; may be given more than once',
    },
  },
  examples: [
    [
      'atoll render ignition --hostname bastion --ssh-key id.pub --registry atoll --htpasswd htpasswd --certificate tls.crt --key tls.key --to bastion.ign',
      'a bastion with the embedded registry',
    ],
    [
      'atoll render ignition --ssh-key id.pub --registry distribution --cache 6001=https://quay.io --cache 6002=https://registry.redhat.io --cache-auth pull-secret.json',
      'registry:2 and two caches',
    ],
    ['atoll render ignition --spec 3.2.0 --merge base.ign --merge more.ign', 'only merge files'],
  ],
  async render(_ctx, { options }) {
    const start = bastionIgnition(await bastionFrom(options));
    const overlays = await Promise.all(
      options.merge.map(async (path) => parseIgnition(await readText(path), `"${path}"`)),
    );
    return { contents: formatIgnition(overlays.reduce(mergeIgnition, start)), secret: true };
  },
});

export const renderUserDataCommand = renderCommand({
  name: 'render user-data',
  summary: 'Small config that fetches the whole one and verifies it',
  options: {
    source: {
      type: 'string',
      value: 'URL',
      required: true,
      summary: 'Where the config lies: s3:// or https://',
    },
    config: { type: 'string', value: 'FILE', summary: 'The config, to hash it' },
    hash: { type: 'string', value: 'HASH', summary: 'Or its hash, as sha512-HEX' },
    ca: { type: 'strings', value: 'FILE', summary: 'PEM of a CA of the https server' },
    spec: {
      type: 'string',
      value: 'VERSION',
      default: '3.4.0',
      summary: 'Ignition spec: 3.2.0 to 3.5.0',
    },
  },
  examples: [
    [
      'atoll render user-data --source s3://site-ignition/bastion.ign --config bastion.ign',
      'for EC2: boots only with exactly that config',
    ],
  ],
  async render(_ctx, { options }) {
    const config = await readOptional(options.config);
    return {
      contents: userData({
        source: options.source,
        hash: options.hash ?? (config === undefined ? undefined : verificationHash(config)),
        certificateAuthorities: await Promise.all(options.ca.map(readCertificates)),
        version: parseIgnitionVersion(options.spec),
      }),
    };
  },
});
