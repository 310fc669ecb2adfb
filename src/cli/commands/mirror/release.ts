import { resolve } from 'node:path';
import type { ReleaseArchitecture } from '../../../content/image-set/image-set.ts';
import { createGraphSource } from '../../../content/release/graph/graph-source.ts';
import {
  findVersion,
  isBareVersion,
  refusePartOfVersion,
} from '../../../content/release/open-release.ts';
import type { Context } from '../../../core/context.ts';
import { AtollError } from '../../../core/errors.ts';
import { mirrorRelease, placeRelease } from '../../../mirror/flow/release/mirror-release.ts';
import {
  type ReleaseOrigin,
  releaseFromDir,
  releaseFromRegistry,
} from '../../../mirror/flow/release/release-origin.ts';
import { parseReference } from '../../../oci/reference.ts';
import { defineCommand, type OptionSpec, type OptionValues } from '../../command.ts';
import { onOff, text } from '../../flags.ts';
import {
  COLLECT_OPTIONS,
  MIRROR_OPTIONS,
  type MirrorTools,
  reportExitCode,
  withMirrorTools,
} from '../../mirror-options.ts';
import { REGISTRY_OPTIONS } from '../../registry-options.ts';
import { DEFAULT_REPOSITORY, mappingLines, releaseText } from './release-text.ts';

/** The flags that `oc adm release mirror` has, by the same names. */
const RELEASE_MIRROR_OPTIONS = {
  from: text('REF', 'Release image or version; with --from-dir its tag there'),
  fromDir: text('DIR', 'Folder that --to-dir or oc has written'),
  to: text('HOST/REPO', `Repository for all images; a tag may hold $\{version} and $\{component}`),
  toDir: text('DIR', 'Folder instead of a registry'),
  toReleaseImage: text(
    'REF',
    'Place of the release image, where it is another than that of its components',
  ),
  skipReleaseImage: onOff('Only the components'),
  toMirror: onOff('Print "SOURCE TARGET" lines and copy nothing'),
  dryRun: onOff('The same as --to-mirror'),
  keepManifestList: onOff('Accepted for scripts: an index is always kept'),
  printMirrorInstructions: text('KIND', 'What to print for the cluster', {
    choices: ['idms', 'icsp', 'none'],
    default: 'idms',
  }),
  releaseImageSignatureToDir: text(
    'DIR',
    'Write the release signature as a ConfigMap there (default: DIR/config of --to-dir)',
  ),
  registryConfig: text('FILE', 'Credentials for registries; the same as --authfile', {
    short: 'a',
  }),
  arch: text('ARCH', 'Architecture of a release that is given by its version', {
    default: 'amd64',
    choices: ['amd64', 'arm64', 'ppc64le', 's390x', 'multi'],
  }),
} as const satisfies Readonly<Record<string, OptionSpec>>;

/** One origin, and one place unless nothing is copied. */
function requireOnePlace(options: OptionValues<typeof RELEASE_MIRROR_OPTIONS>): void {
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

const OPTIONS = {
  ...RELEASE_MIRROR_OPTIONS,
  concurrency: MIRROR_OPTIONS.concurrency,
  verifyTarget: MIRROR_OPTIONS.verifyTarget,
  signatures: MIRROR_OPTIONS.signatures,
  ...REGISTRY_OPTIONS,
  graph: COLLECT_OPTIONS.graph,
  signatureStore: COLLECT_OPTIONS.signatureStore,
  releaseKey: COLLECT_OPTIONS.releaseKey,
  ignoreReleaseSignature: COLLECT_OPTIONS.ignoreReleaseSignature,
} as const;

type Options = OptionValues<typeof OPTIONS>;

export const mirrorReleaseCommand = defineCommand({
  name: 'mirror release',
  summary: 'Mirror one release into one repository or a folder, as "oc adm release mirror" does',
  description:
    'Copies the release image and all its components, by digest, with their signatures, and ends with what an install-config and a cluster need to find them. A folder has the layout of oc and can be read by it. An index is always kept whole.',
  options: OPTIONS,
  examples: {
    'atoll mirror release --from quay.io/openshift-release-dev/ocp-release:4.18.1-x86_64 --to mirror.example.com:5000/ocp4/openshift4 -a pull-secret.json':
      'into a registry',
    'atoll mirror release --from 4.18.1 --to-dir /media/disk': 'into a folder, to be carried',
    'atoll mirror release --from-dir /media/disk --to mirror.example.com:5000/ocp4/openshift4':
      'from the folder into the mirror',
  },
  async run(ctx, { options, terminal }) {
    requireOnePlace(options);
    const flags = {
      ...options,
      authfile: options.registryConfig ?? options.authfile,
      graphData: undefined,
      graphBaseImage: undefined,
      sigstoreKey: undefined,
      dependencies: true,
    };
    return withMirrorTools(flags, terminal, async (tools) => {
      const origin = await originOf(ctx, options, tools);
      const work = { origin, ...placesIn(options), ...tools };
      if (options.toMirror || options.dryRun) return { mapping: mappingLines(placeRelease(work)) };
      const result = await mirrorRelease(ctx, {
        ...work,
        copySignatures: options.signatures,
        concurrency: options.concurrency,
      });
      return { result, instructions: options.printMirrorInstructions, toDir: options.toDir };
    });
  },
  text: releaseText,
  exitCode: (outcome) => ('result' in outcome ? reportExitCode(outcome.result.report) : 0),
});

function placesIn(options: Options) {
  const absolute = (path: string | undefined) => (path === undefined ? undefined : resolve(path));
  return {
    to: options.to ?? `localhost/${DEFAULT_REPOSITORY}`,
    toDir: absolute(options.toDir),
    fromDir: absolute(options.fromDir),
    toReleaseImage: options.toReleaseImage,
    skipReleaseImage: options.skipReleaseImage,
    signatureDir: absolute(options.releaseImageSignatureToDir),
  };
}

async function originOf(
  ctx: Context,
  { from, fromDir, graph, arch }: Options,
  { registries, collect }: MirrorTools,
): Promise<ReleaseOrigin> {
  if (fromDir !== undefined) {
    const [, repository = DEFAULT_REPOSITORY, tag = from] =
      /^file:\/\/(.+):([^:/]+)$/.exec(from ?? '') ?? [];
    return await releaseFromDir(ctx, resolve(fromDir), repository, tag);
  }
  const name = from ?? '';
  refusePartOfVersion(name);
  const reference = isBareVersion(name)
    ? await findVersion(
        ctx,
        name,
        arch as ReleaseArchitecture,
        createGraphSource(collect.web, graph),
      )
    : parseReference(name.replace(/^docker:\/\//, ''));
  return await releaseFromRegistry(ctx, reference, registries);
}
