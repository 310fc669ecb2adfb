import { join } from 'node:path';
import { SECRET_MODE, writeFileAtomic } from '../../../core/files.ts';
import { shellLine } from '../../../core/format.ts';
import { type InitResult, initRegistry } from '../../../registry/init.ts';
import { defineCommand, type Style } from '../../command.ts';
import { passwordFromStdin } from '../../password-stdin.ts';
import { ownCertificate } from './renew.ts';

const PASSWORD_EXAMPLE = 'atoll registry init --password-stdin < password.txt';

export const registryInitCommand = defineCommand({
  name: 'registry init',
  summary: 'Make a registry: certificate, first user, configuration',
  description:
    'Makes a private CA and a server certificate, or takes one the site already has, a first user ' +
    'with a generated password, and config.yaml. Nothing is started.',
  options: {
    dir: { type: 'string', value: 'DIR', default: 'registry', summary: 'Folder to make it in' },
    host: {
      type: 'strings',
      value: 'NAME[,IP]',
      summary: 'Names and addresses clients use; the first is shown (default localhost)',
    },
    port: { type: 'number', value: 'PORT', default: 8443, summary: 'Port to listen on' },
    user: { type: 'string', value: 'NAME', default: 'admin', summary: 'Name of the first user' },
    passwordStdin: { type: 'boolean', summary: 'Read the password from standard input' },
    certificate: { type: 'string', value: 'FILE', summary: 'Certificate of the site, with chain' },
    key: { type: 'string', value: 'FILE', summary: 'Its private key' },
  },
  examples: {
    'atoll registry init --dir /opt/registry --host mirror.example.com,10.0.0.5':
      'with a CA of its own',
    'atoll registry init --host mirror.example.com --certificate site.crt --key site.key':
      'with a certificate the site has',
  },
  verbatim: true,
  async run(ctx, { options, terminal }) {
    const hosts = options.host.flatMap((text) => text.split(',')).filter((text) => text !== '');
    const result = await initRegistry(ctx, {
      directory: options.dir,
      hosts: hosts.length > 0 ? hosts : ['localhost', '127.0.0.1'],
      port: options.port,
      user: options.user,
      password: options.passwordStdin
        ? await passwordFromStdin(terminal, options.user, PASSWORD_EXAMPLE)
        : undefined,
      certificate: ownCertificate(options.certificate, options.key),
    });
    const auth = authEntry(result);
    const authfile = join(options.dir, 'auth.json');
    await writeFileAtomic(authfile, `${JSON.stringify(auth, undefined, 2)}\n`, {
      mode: SECRET_MODE,
    });
    return { ...result, expiresAt: result.expiresAt.toISOString(), auth, authfile };
  },
  text: (result, style) => initText(result, style),
});

type Shown = Omit<InitResult, 'expiresAt'> & {
  readonly expiresAt: string;
  readonly auth: ReturnType<typeof authEntry>;
  readonly authfile: string;
};

function authEntry({ host, user, password }: InitResult) {
  const auth = Buffer.from(`${user}:${password}`).toString('base64');
  return { auths: { [host]: { auth } } };
}

function initText(result: Shown, style: Style): string {
  const { config, ca, user, password, auth, authfile, expiresAt } = result;
  return [
    `${style.bold('configuration')}  ${config}`,
    ca === undefined
      ? `${style.bold('CA')}             the site's own`
      : `${style.bold('CA')}             ${ca} (trust it, or add it to additionalTrustBundle)`,
    `${style.bold('certificate')}    valid until ${expiresAt.slice(0, 10)}`,
    `${style.bold('user')}           ${user}`,
    `${style.bold('password')}       ${password}`,
    `${style.bold('pull secret')}    merge this in; it is also in ${authfile}`,
    `  ${JSON.stringify(auth)}`,
    '',
    `next: ${shellLine(['atoll', 'registry', 'serve', '--config', config])}`,
  ].join('\n');
}
