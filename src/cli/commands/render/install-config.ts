import type { Context } from '../../../core/context.ts';
import { AtollError } from '../../../core/errors.ts';
import { readText } from '../../../core/files.ts';
import { counted } from '../../../core/format.ts';
import type { Locate } from '../../../core/yaml-input.ts';
import {
  formatInstallConfig,
  installConfig,
} from '../../../generate/install-config/install-config.ts';
import { type InstallConfig, readInstallConfig } from '../../../generate/install-config/schema.ts';
import { validateInstallConfig } from '../../../generate/install-config/validate.ts';
import type { Violation } from '../../../generate/install-config/violation.ts';
import { defineCommand, type Style } from '../../command.ts';
import { FACT_OPTIONS, factsFrom } from './install-config-facts.ts';
import { INSTALL_CONFIG_OPTIONS, installConfigFrom } from './install-config-input.ts';
import { renderCommand } from './render-command.ts';

export const renderInstallConfigCommand = renderCommand({
  name: 'render install-config',
  summary: 'install-config.yaml for a closed network, checked before anything boots',
  description:
    'Writes the file only if nothing is wrong with it: names, networks, subnets, mirror rules, pull ' +
    'secret and trust are checked with the rules of the installer, and some it does not have. ' +
    'Warnings do not stop it. "atoll render install-config-check" checks a file that exists.',
  options: { ...INSTALL_CONFIG_OPTIONS, ...FACT_OPTIONS },
  examples: [
    [
      'atoll render install-config --name site --base-domain example.com --platform aws.yaml --release 4.18.1 --publish Internal --credentials-mode Manual --mirror mirror.example:5000 --trust-bundle ca.crt --pull-secret auth.json --ssh-key id.pub --disconnected --to install-config.yaml',
      'disconnected on AWS',
    ],
    [
      'atoll render install-config --name edge --base-domain example.com --size single-node --installation-disk /dev/sda --mirror mirror.example:5000 --pull-secret auth.json',
      'one node that installs itself',
    ],
  ],
  async render(ctx, { options }) {
    const input = await installConfigFrom(options);
    const mirror = input.mirrorRules?.[0]?.mirrors[0];
    const facts = await factsFrom(options, { release: options.release, mirror, now: ctx.now() });
    const config = installConfig(input);
    const violations = validateInstallConfig(config, facts);
    refuse(violations.filter(({ severity }) => severity === 'error'));
    warn(ctx, violations);
    return { contents: formatInstallConfig(config), secret: true };
  },
});

function refuse(errors: readonly Violation[]): void {
  if (errors.length === 0) return;
  const lines = errors.map(({ path, message, fix }) => `${path}: ${message} (${fix})`);
  throw new AtollError(
    'INPUT_INVALID',
    `Cannot write the install-config: found ${counted(errors.length, 'mistake')} that would break the install\n  ${lines.join('\n  ')}`,
    { hint: 'Correct them and run the command again', details: { problems: errors.length } },
  );
}

function warn(ctx: Context, violations: readonly Violation[]): void {
  for (const { severity, path, message, fix } of violations) {
    if (severity === 'warning') {
      ctx.emit({
        type: 'warning.raised',
        subject: path,
        message: `${path}: ${message}`,
        hint: fix,
      });
    }
  }
}

interface CheckResult {
  readonly file: string;
  readonly violations: readonly (Violation & { readonly line?: number | undefined })[];
}

export const renderInstallConfigCheckCommand = defineCommand({
  name: 'render install-config-check',
  summary: 'Find what is wrong with an install-config.yaml before the installer does',
  arguments: [{ name: 'file', summary: 'The file' }],
  options: {
    release: { type: 'string', value: 'VERSION', summary: 'Release that will be installed' },
    ...FACT_OPTIONS,
  },
  examples: [
    ['atoll render install-config-check install-config.yaml', 'the file alone'],
    [
      'atoll render install-config-check install-config.yaml --release 4.18.1 --disconnected --mirror-certificate mirror.pem',
      'and whether the mirror will be trusted',
    ],
  ],
  async run(ctx, { args, options }): Promise<CheckResult> {
    const file = args.file ?? '';
    const { config, locate } = readInstallConfig(await readText(file), file);
    const facts = await factsFrom(options, {
      release: options.release,
      mirror: mirrorOf(config),
      now: ctx.now(),
    });
    const violations = validateInstallConfig(config, facts);
    return { file, violations: violations.map((one) => ({ ...one, line: lineOf(one, locate) })) };
  },
  text: checkText,
  exitCode: ({ violations }) => (violations.some(({ severity }) => severity === 'error') ? 3 : 0),
});

function mirrorOf(config: InstallConfig): string | undefined {
  return (config.imageDigestSources ?? config.imageContentSources)?.[0]?.mirrors?.[0];
}

function lineOf({ path }: Violation, locate: Locate): number | undefined {
  const parts = path.replaceAll(/\[(\d+)\]/g, '.$1').split('.');
  return locate(parts.map((part) => (/^\d+$/.test(part) ? Number(part) : part))).line;
}

function checkText({ file, violations }: CheckResult, style: Style): string {
  if (violations.length === 0) return `${file}: nothing wrong`;
  return violations
    .map(({ severity, path, message, fix, line }) => {
      const mark = severity === 'error' ? style.red('error') : style.yellow('warning');
      return `${file}${line === undefined ? '' : `:${line}`}: ${mark}: ${path}: ${message}\n  ${style.dim(fix)}`;
    })
    .join('\n');
}
