import { stat } from 'node:fs/promises';
import { loadSigstoreKey } from '../../content/release/signatures/sigstore.ts';
import { AtollError } from '../../core/errors.ts';
import { parseBytes } from '../../core/format.ts';
import type { ImageInputs } from '../../rehearse/images/collect-images.ts';
import {
  type ConfigFiles,
  findConfigFiles,
  joinFiles,
  NO_FILES,
} from '../../rehearse/node/config-files.ts';
import type { NodeConfig } from '../../rehearse/node/node-config.ts';
import { readNodeConfig } from '../../rehearse/node/read-config.ts';
import type { RehearsalRunOptions, StormOptions } from '../../rehearse/run-rehearsal.ts';
import { parseBits } from '../../rehearse/storm/model.ts';
import { readSite } from '../../site/read-site.ts';
import { siteRehearsal } from '../../site/rehearse-site.ts';
import { sitePaths } from '../../site/site-paths.ts';
import type { Env } from '../../site/stages/stage.ts';
import type { OptionSpec, OptionValues } from '../command.ts';
import { number, onOff, text, texts } from '../flags.ts';
import { PLATFORMS } from '../platforms.ts';

const file = (summary: string) => text('FILE', summary);
const files = (summary: string) => texts('FILE', summary);
const refs = (summary: string) => texts('REF', summary);

/** The generated configuration, and what names the images. */
export const REHEARSE_OPTIONS = {
  site: file(
    'Site file: what the site generated and mirrored, instead of files and images named here',
  ),
  registriesConf: files('registries.conf that nodes will have'),
  mirrorSets: files('IDMS, ITMS or ICSP objects that the cluster will have'),
  installConfig: file('install-config.yaml: rules, pull secret, trust, proxy, architectures'),
  pullSecret: file('Pull secret of the nodes, instead of that of the install-config'),
  trustBundle: files('PEM of CAs that nodes trust besides the public ones'),
  certsDir: text('DIR', 'certs.d that nodes will have'),
  hosts: file('Hosts file of the nodes'),
  dns: onOff('Names are in the hosts file or do not exist: leave DNS out', { default: true }),
  policy: file('policy.json of the nodes'),
  sigstoreKey: file('Public key for signatures that the policy has no key for'),
  release: refs('Release image, as openshift-install will name it'),
  catalog: refs('Operator catalog; its bundles and their images are rehearsed, too'),
  package: texts('NAME', 'Only this package of the catalogs; may be given more than once'),
  image: refs('Another image'),
  manifests: texts('DIR|FILE', 'Cluster objects that name images'),
  report: files('report.json or mirrored.json of "atoll mirror": every image in it'),
  mirror: texts('HOST[:PORT]', 'Registry of the site that images name themselves, without a rule'),
  imageSet: text('FILE', 'Image set to name in the commands that close holes', {
    default: 'imageset.yaml',
  }),
  arch: texts('ARCH', 'Architecture of nodes (default: those of the install-config, else amd64)', {
    choices: ['amd64', 'arm64', 'ppc64le', 's390x'],
  }),
  depth: text('DEPTH', 'Ask for every layer, or read and verify each', {
    choices: ['head', 'full'],
    default: 'head',
  }),
  allowUpstream: onOff('Nodes may pull from the sources: a private site with a way out'),
  isolate: onOff('Run in a network namespace from which only the mirror can be reached'),
  nodes: number('N', 'Also play the pulls of an install with so many nodes, and measure'),
  rate: text('BYTES', 'Most bytes a second that these nodes take together, such as 200M'),
  nic: text('BITS', 'Network of the mirror in the model, in bits a second', { default: '10G' }),
  disk: text('BYTES', 'What the disk of the mirror reads in the model, in bytes a second', {
    default: '500M',
  }),
  modelNodes: texts('N', 'Model a cluster of this size, too (default 50 and 250)'),
} as const satisfies Readonly<Record<string, OptionSpec>>;

export type RehearseFlags = OptionValues<typeof REHEARSE_OPTIONS>;

export interface RehearseInput {
  readonly config: NodeConfig;
  readonly options: RehearsalRunOptions;
  /** Where a site keeps what it knows; undefined where none was named. */
  readonly state?: string | undefined;
}

/** Reads what the command line names; folders are searched for files with known names. */
export async function rehearseInput(
  folders: readonly string[],
  flags: RehearseFlags,
  env: Env,
): Promise<RehearseInput> {
  if (flags.site !== undefined) return await siteInput(flags.site, flags, env);
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
      mirrors: flags.mirror,
      storm: stormFrom(flags),
    },
  };
}

/** What the cluster stage of a site rehearses, as far and as hard as the flags say. */
async function siteInput(path: string, flags: RehearseFlags, env: Env): Promise<RehearseInput> {
  const site = await readSite(path, env, PLATFORMS);
  const { config, options } = await siteRehearsal({ site, paths: sitePaths(site) });
  const depth = flags.depth === 'full' ? 'full' : 'head';
  return { config, state: site.state, options: { ...options, depth, storm: stormFrom(flags) } };
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

const MODEL_NODES = [50, 250];

function stormFrom(flags: RehearseFlags): StormOptions | undefined {
  const { nodes } = flags;
  if (nodes === undefined) return undefined;
  if (flags.isolate) throw mixed();
  const modelNodes = flags.modelNodes.map((text) => positive('model-nodes', Number(text)));
  return {
    nodes: positive('nodes', nodes),
    bytesPerSecond: flags.rate === undefined ? undefined : speed('rate', flags.rate, parseBytes),
    hardware: {
      nicBitsPerSecond: speed('nic', flags.nic, parseBits),
      diskBytesPerSecond: speed('disk', flags.disk, parseBytes),
    },
    modelNodes: modelNodes.length > 0 ? modelNodes : MODEL_NODES,
  };
}

function positive(flag: string, value: number): number {
  if (Number.isInteger(value) && value > 0) return value;
  throw new AtollError('USAGE', `Cannot use "--${flag} ${value}": it is no number of nodes`, {
    hint: 'Give a whole number from 1 on',
  });
}

function speed(flag: string, text: string, parse: (text: string) => number | undefined): number {
  const value = parse(text);
  if (value) return value;
  throw new AtollError('USAGE', `Cannot use "--${flag} ${text}": it is no speed`, {
    hint: 'Give a number with K, M, G or T behind it, such as 200M',
  });
}

function mixed(): AtollError {
  return new AtollError('USAGE', 'Cannot use "--nodes" with "--isolate"', {
    hint: 'In a namespace the way to the mirror would be measured, not the mirror: run it twice',
  });
}

function nothing(): AtollError {
  return new AtollError('USAGE', 'Cannot rehearse: nothing names an image', {
    hint: 'Give --release, --report, --catalog, --image or --manifests',
  });
}
