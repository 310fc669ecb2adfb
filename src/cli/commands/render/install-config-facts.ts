import { readText } from '../../../core/files.ts';
import { inputError, parseYamlInput } from '../../../core/yaml-input.ts';
import type { InstallFacts } from '../../../generate/install-config/facts.ts';
import { awsFactsSchema } from '../../../generate/install-config/facts-schema.ts';
import { hostOf } from '../../../oci/registries/location.ts';
import { parseReleaseVersion } from '../../../openshift/version.ts';
import type { OptionSpec, OptionValues } from '../../command.ts';
import { readOptional } from './flag-values.ts';

/** What is known of the world, for checks that the file alone does not allow. */
export const FACT_OPTIONS = {
  disconnected: { type: 'boolean', summary: 'The cluster will have no way to the internet' },
  mirrorCertificate: {
    type: 'string',
    value: 'FILE',
    summary: 'PEM that the mirror shows, its own certificate first: is it really trusted?',
  },
  releaseRepository: {
    type: 'strings',
    value: 'REPOSITORY',
    summary: 'Where the release comes from, unless it is the usual place on quay.io',
  },
  awsFacts: { type: 'string', value: 'FILE', summary: 'YAML with the subnets of the VPC and more' },
} as const satisfies Readonly<Record<string, OptionSpec>>;

interface Known {
  readonly release: string | undefined;
  /** The mirror, as flags or rules name it. */
  readonly mirror: string | undefined;
  readonly now: Date;
}

export async function factsFrom(
  options: OptionValues<typeof FACT_OPTIONS>,
  { release, mirror, now }: Known,
): Promise<InstallFacts> {
  const certificates = await readOptional(options.mirrorCertificate);
  return {
    now,
    disconnected: options.disconnected,
    version: release === undefined ? undefined : parseReleaseVersion(release),
    mirror: mirror === undefined ? undefined : { host: hostOf(mirror), certificates },
    releaseRepositories:
      options.releaseRepository.length > 0 ? options.releaseRepository : undefined,
    aws: await awsFactsFrom(options.awsFacts),
  };
}

async function awsFactsFrom(path: string | undefined): Promise<InstallFacts['aws']> {
  if (path === undefined) return undefined;
  const parsed = parseYamlInput(awsFactsSchema, await readText(path));
  if (parsed.value === undefined) throw inputError(path, parsed.problems);
  return parsed.value;
}
