import { AtollError } from '../../../core/errors.ts';
import type { OptionSpec, OptionValues } from '../../command.ts';

/** The flags that `oc adm release mirror` has, by the same names. */
export const RELEASE_MIRROR_OPTIONS = {
  from: {
    type: 'string',
    value: 'REF',
    summary: 'Release image or version; with --from-dir its tag there',
  },
  fromDir: { type: 'string', value: 'DIR', summary: 'Folder that --to-dir or oc has written' },
  to: {
    type: 'string',
    value: 'HOST/REPO',
    summary: `Repository for all images; a tag may hold $\{version} and $\{component}`,
  },
  toDir: { type: 'string', value: 'DIR', summary: 'Folder instead of a registry' },
  toReleaseImage: {
    type: 'string',
    value: 'REF',
    summary: 'Place of the release image, where it is another than that of its components',
  },
  skipReleaseImage: { type: 'boolean', summary: 'Only the components' },
  toMirror: { type: 'boolean', summary: 'Print "SOURCE TARGET" lines and copy nothing' },
  dryRun: { type: 'boolean', summary: 'The same as --to-mirror' },
  keepManifestList: { type: 'boolean', summary: 'Accepted for scripts: an index is always kept' },
  printMirrorInstructions: {
    type: 'string',
    value: 'KIND',
    choices: ['idms', 'icsp', 'none'],
    default: 'idms',
    summary: 'What to print for the cluster',
  },
  releaseImageSignatureToDir: {
    type: 'string',
    value: 'DIR',
    summary: 'Write the release signature as a ConfigMap there (default: DIR/config of --to-dir)',
  },
  registryConfig: {
    type: 'string',
    short: 'a',
    value: 'FILE',
    summary: 'Credentials for registries; the same as --authfile',
  },
  arch: {
    type: 'string',
    value: 'ARCH',
    default: 'amd64',
    choices: ['amd64', 'arm64', 'ppc64le', 's390x', 'multi'],
    summary: 'Architecture of a release that is given by its version',
  },
} as const satisfies Readonly<Record<string, OptionSpec>>;

/** One origin, and one place unless nothing is copied. */
export function requireOnePlace(options: OptionValues<typeof RELEASE_MIRROR_OPTIONS>): void {
  const { from, fromDir, to, toDir, toMirror, dryRun } = options;
  if (from === undefined && fromDir === undefined) {
    throw new AtollError('USAGE', 'Cannot mirror a release: none is named', {
      hint: 'Give --from REF, or --from-dir DIR',
    });
  }
  const isRepositoryOnly = to !== undefined && toDir !== undefined && !to.includes('.');
  const places = [to, toDir].filter((place) => place !== undefined).length;
  if (places === 1 || isRepositoryOnly || (places === 0 && (toMirror || dryRun))) return;
  throw new AtollError(
    'USAGE',
    `Cannot mirror a release: ${places === 0 ? 'no place is named' : '--to and --to-dir exclude each other'}`,
    { hint: 'Give --to HOST/REPO, or --to-dir DIR' },
  );
}
