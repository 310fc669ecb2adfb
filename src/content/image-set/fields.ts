import { isRepository, isTag } from '../../oci/reference.ts';
import type { Architecture } from './image-set.ts';
import { list, mapping, oneOf, text, textThat } from './readers.ts';
import { readOrigin, readPullSpec } from './references.ts';
import { compareLenient, isReleaseVersion, parseLenientVersion } from './versions.ts';

export type ApiVersion = 'v1alpha2' | 'v2alpha1';

export const ARCHITECTURES = ['amd64', 'arm64', 'ppc64le', 's390x', 'multi'] as const;
export const KERNEL_NAMES: Readonly<Record<string, Architecture>> = {
  x86_64: 'amd64',
  aarch64: 'arm64',
};
const ONLY_V2 = 'it belongs to apiVersion mirror.openshift.io/v2alpha1';

export const repositoryPath = textThat((value) =>
  isRepository(value)
    ? undefined
    : {
        message: `"${value}" is not a repository path`,
        hint: 'lower case, parts joined by "/", without host, tag or digest',
      },
);
export const tag = textThat((value) => (isTag(value) ? undefined : `"${value}" is not a tag`));
export const pullSpec = textThat((value) => {
  const read = readPullSpec(value);
  return 'wrong' in read ? { message: read.wrong, hint: read.hint } : undefined;
});
export const origin = textThat((value) => {
  const read = readOrigin(value);
  return 'wrong' in read ? { message: read.wrong, hint: read.hint } : undefined;
});
export const operatorVersion = textThat((value) =>
  parseLenientVersion(value) ? undefined : `"${value}" is not a version`,
);
export const releaseVersion = textThat((value) =>
  isReleaseVersion(value)
    ? undefined
    : {
        message: `"${value}" is not a release version`,
        hint: 'write all three numbers, such as 4.18.1',
      },
);

export const platforms = list(
  mapping(
    { os: text, architecture: oneOf(['amd64', 'arm64', 'ppc64le', 's390x'], KERNEL_NAMES) },
    { required: ['os', 'architecture'] },
  ),
  {
    key: ({ os, architecture }) => `${os}/${architecture}`,
    describe: ({ os, architecture }) => `${os}/${architecture}`,
  },
);

/** Fields a version does not know are explained, not only refused. */
export function only<F extends object>(version: ApiVersion, fields: F): F {
  return version === 'v2alpha1' ? fields : ({} as F);
}

export function unknownBefore(
  version: ApiVersion,
  names: readonly string[],
): Record<string, string> {
  return version === 'v2alpha1' ? {} : Object.fromEntries(names.map((name) => [name, ONLY_V2]));
}

/** Items that are the same when their names are. */
export const named = {
  key: ({ name }: { name: string | undefined }) => name,
  describe: ({ name }: { name: string | undefined }) => `"${name}"`,
};

export function isAbove(min: string | undefined, max: string | undefined): boolean {
  return min !== undefined && max !== undefined && (compareLenient(min, max) ?? 0) > 0;
}
