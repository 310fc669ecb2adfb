import { stat } from 'node:fs/promises';
import { loadSigstoreKey } from '../../content/release/signatures/sigstore.ts';
import { AtollError } from '../../core/errors.ts';
import type { ImageInputs } from '../../rehearse/images/collect-images.ts';
import {
  type ConfigFiles,
  findConfigFiles,
  joinFiles,
  NO_FILES,
} from '../../rehearse/node/config-files.ts';
import type { NodeConfig } from '../../rehearse/node/node-config.ts';
import { readNodeConfig } from '../../rehearse/node/read-config.ts';
import type { RehearsalOptions } from '../../rehearse/rehearse.ts';
import type { OptionSpec, OptionValues } from '../command.ts';

const file = (summary: string) => ({ type: 'string', value: 'FILE', summary }) as const;
const files = (summary: string) => ({ type: 'strings', value: 'FILE', summary }) as const;
const refs = (summary: string) => ({ type: 'strings', value: 'REF', summary }) as const;

/** The generated configuration, and what names the images. */
export const REHEARSE_OPTIONS = {
  registriesConf: files('registries.conf that nodes will have'),
  mirrorSets: files('IDMS, ITMS or ICSP objects that the cluster will have'),
  installConfig: file('install-config.yaml: rules, pull secret, trust, proxy, architectures'),
  pullSecret: file('Pull secret of the nodes, instead of that of the install-config'),
  trustBundle: files('PEM of CAs that nodes trust besides the public ones'),
  certsDir: { type: 'string', value: 'DIR', summary: 'certs.d that nodes will have' },
  hosts: file('Hosts file of the nodes'),
  dns: {
    type: 'boolean',
    default: true,
    summary: 'Names are in the hosts file or do not exist: leave DNS out',
  },
  policy: file('policy.json of the nodes'),
  sigstoreKey: file('Public key for signatures that the policy has no key for'),
  release: refs('Release image, as openshift-install will name it'),
  catalog: refs('Operator catalog; its bundles and their images are rehearsed, too'),
  package: {
    type: 'strings',
    value: 'NAME',
    summary: 'Only this package of the catalogs; may be given more than once',
  },
  image: refs('Another image'),
  manifests: { type: 'strings', value: 'DIR|FILE', summary: 'Cluster objects that name images' },
  report: files('report.json or mirrored.json of "atoll mirror": every image in it'),
  mirror: {
    type: 'strings',
    value: 'HOST[:PORT]',
    summary: 'Registry of the site that images name themselves, without a rule',
  },
  imageSet: {
    type: 'string',
    value: 'FILE',
    default: 'imageset.yaml',
    summary: 'Image set to name in the commands that close holes',
  },
  arch: {
    type: 'strings',
    value: 'ARCH',
    choices: ['amd64', 'arm64', 'ppc64le', 's390x'],
    summary: 'Architecture of nodes (default: those of the install-config, else amd64)',
  },
  depth: {
    type: 'string',
    value: 'DEPTH',
    choices: ['head', 'full'],
    default: 'head',
    summary: 'Ask for every layer, or read and verify each',
  },
  allowUpstream: {
    type: 'boolean',
    summary: 'Nodes may pull from the sources: a private site with a way out',
  },
} as const satisfies Readonly<Record<string, OptionSpec>>;

export type RehearseFlags = OptionValues<typeof REHEARSE_OPTIONS>;

export interface RehearseInput {
  readonly config: NodeConfig;
  readonly options: RehearsalOptions;
}

/** Reads what the command line names; folders are searched for files with known names. */
export async function rehearseInput(
  folders: readonly string[],
  flags: RehearseFlags,
): Promise<RehearseInput> {
  const found = joinFiles([
    await namedFiles(flags),
    ...(await Promise.all(folders.map(findConfigFiles))),
  ]);
  const config = await readNodeConfig(found, { dns: flags.dns, architectures: flags.arch });
  const inputs = imageInputs(flags, found.manifests);
  if (Object.values(inputs).every((list: readonly string[]) => list.length === 0)) throw nothing();
  const { sigstoreKey } = flags;
  return {
    config,
    options: {
      inputs,
      depth: flags.depth === 'full' ? 'full' : 'head',
      allowUpstream: flags.allowUpstream,
      imageSet: flags.imageSet,
      sigstoreKey: sigstoreKey === undefined ? undefined : await loadSigstoreKey(sigstoreKey),
    },
  };
}

async function namedFiles(flags: RehearseFlags): Promise<ConfigFiles> {
  const { registriesConf, mirrorSets, installConfig, pullSecret, hosts, policy, certsDir } = flags;
  const manifests = await Promise.all(flags.manifests.map(manifestsAt));
  return {
    ...NO_FILES,
    ...{ registriesConf, mirrorSets, installConfig, pullSecret, hosts, policy, certsDir },
    trustBundles: flags.trustBundle,
    manifests: manifests.flat(),
  };
}

async function manifestsAt(path: string): Promise<readonly string[]> {
  const isFolder = await stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
  return isFolder ? (await findConfigFiles(path)).manifests : [path];
}

function imageInputs(flags: RehearseFlags, manifests: readonly string[]): ImageInputs {
  return {
    releases: flags.release,
    catalogs: flags.catalog,
    packages: flags.package,
    images: flags.image,
    reports: flags.report,
    manifests,
  };
}

function nothing(): AtollError {
  return new AtollError('USAGE', 'Cannot rehearse: nothing names an image', {
    hint: 'Give --release, --report, --catalog, --image or --manifests',
  });
}
