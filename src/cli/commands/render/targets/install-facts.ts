import * as z from 'zod';
import { readText } from '../../../../core/files.ts';
import type { Locate } from '../../../../core/yaml-input.ts';
import type { InstallFacts } from '../../../../generate/install-config/facts.ts';
import { awsFactsSchema } from '../../../../generate/install-config/platforms/aws/facts.ts';
import {
  type InstallConfig,
  readInstallConfig,
} from '../../../../generate/install-config/schema.ts';
import { validateInstallConfig } from '../../../../generate/install-config/validate.ts';
import type { Violation } from '../../../../generate/install-config/violation.ts';
import { hostOf } from '../../../../oci/registries/location.ts';
import { parseReleaseVersion } from '../../../../openshift/version.ts';
import type { Style } from '../../../command.ts';
import { file, yamlFile } from '../flag-files.ts';
import { manyTexts, onOff, text } from '../flags.ts';
import { schemaCommand } from '../target.ts';

/** What is known of the world, for checks that the file alone does not allow. */
export const FACT_FLAGS = {
  disconnected: onOff('The cluster will have no way to the internet'),
  mirrorCertificate: file(
    'PEM that the mirror shows, its own certificate first: is it really trusted?',
  ).optional(),
  releaseRepository: manyTexts(
    'REPOSITORY',
    'Where the release comes from, unless it is the usual place on quay.io',
  ),
  awsFacts: yamlFile('YAML with the subnets of the VPC and more', awsFactsSchema).optional(),
};

interface FactOptions {
  readonly release?: string | undefined;
  readonly disconnected: boolean;
  readonly mirrorCertificate?: string | undefined;
  readonly releaseRepository: readonly string[];
  readonly awsFacts?: InstallFacts['aws'];
}

/** `mirror` as flags or rules name it. */
export function factsOf(options: FactOptions, mirror: string | undefined, now: Date): InstallFacts {
  const { release, releaseRepository, mirrorCertificate: certificates } = options;
  return {
    now,
    disconnected: options.disconnected,
    version: release === undefined ? undefined : parseReleaseVersion(release),
    mirror: mirror === undefined ? undefined : { host: hostOf(mirror), certificates },
    releaseRepositories: releaseRepository.length > 0 ? releaseRepository : undefined,
    aws: options.awsFacts,
  };
}

interface CheckResult {
  readonly file: string;
  readonly violations: readonly (Violation & { readonly line?: number | undefined })[];
}

export const installConfigCheckCommand = schemaCommand({
  name: 'render install-config-check',
  summary: 'Find what is wrong with an install-config.yaml before the installer does',
  arguments: [{ name: 'file', summary: 'The file' }],
  schema: z.object({
    release: text('VERSION', 'Release that will be installed').optional(),
    ...FACT_FLAGS,
  }),
  examples: {
    'atoll render install-config-check install-config.yaml': 'the file alone',
    'atoll render install-config-check install-config.yaml --release 4.18.1 --disconnected --mirror-certificate mirror.pem':
      'and whether the mirror will be trusted',
  },
  async run(ctx, options, args): Promise<CheckResult> {
    const path = args.file ?? '';
    const { config, locate } = readInstallConfig(await readText(path), path);
    const facts = factsOf(options, mirrorOf(config), ctx.now());
    const violations = validateInstallConfig(config, facts);
    return {
      file: path,
      violations: violations.map((one) => ({ ...one, line: lineOf(one, locate) })),
    };
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

function checkText({ file: path, violations }: CheckResult, style: Style): string {
  if (violations.length === 0) return `${path}: nothing wrong`;
  return violations
    .map(({ severity, path: field, message, fix, line }) => {
      const mark = severity === 'error' ? style.red('error') : style.yellow('warning');
      return `${path}${line === undefined ? '' : `:${line}`}: ${mark}: ${field}: ${message}\n  ${style.dim(fix)}`;
    })
    .join('\n');
}
