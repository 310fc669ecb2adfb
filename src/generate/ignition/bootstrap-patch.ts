import { CRIO_DROP_IN_PATH, crioDropIn } from '../crio.ts';
import { type FileEntry, textFile, type UnitEntry } from './config.ts';
import type { IgnitionPatch } from './patch.ts';

/** What a bootstrap machine or node shall have from its first second on. */
export interface BootstrapPatchInput {
  readonly registriesConf?: string | undefined;
  readonly policy?: string | undefined;
  readonly hosts?: string | undefined;
  /** Pull secret, for `/root/.docker/config.json` and the kubelet. */
  readonly pullSecret?: string | undefined;
  readonly pauseImage?: string | undefined;
  /** PEM of further CAs, by a name for the file. */
  readonly trustedCas?: Readonly<Record<string, string>> | undefined;
  readonly files?: readonly FileEntry[] | undefined;
  readonly units?: readonly UnitEntry[] | undefined;
}

/** The kubelet of masters and workers reads the second one; the scripts of the bootstrap the first. */
const PULL_SECRET_PATHS = ['/root/.docker/config.json', '/var/lib/kubelet/config.json'];

export function bootstrapPatch(input: BootstrapPatchInput): IgnitionPatch {
  const { registriesConf, policy, hosts, pullSecret, pauseImage } = input;
  const files = [
    ...optional('/etc/containers/registries.conf', registriesConf),
    ...optional('/etc/containers/policy.json', policy),
    ...optional('/etc/hosts', hosts),
    ...PULL_SECRET_PATHS.flatMap((path) => optional(path, pullSecret, 0o600)),
    ...optional(CRIO_DROP_IN_PATH, pauseImage && crioDropIn({ pauseImage })),
    ...Object.entries(input.trustedCas ?? {}).map(([name, pem]) =>
      textFile(`/etc/pki/ca-trust/source/anchors/${name}.crt`, `${pem.trimEnd()}\n`),
    ),
    ...(input.files ?? []),
  ];
  return { files, units: input.units ?? [] };
}

function optional(path: string, contents: string | undefined, mode = 0o644): FileEntry[] {
  return contents === undefined ? [] : [textFile(path, contents, { mode })];
}
