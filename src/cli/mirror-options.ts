import { resolve } from 'node:path';
import type { CollectDeps } from '../content/collecting.ts';
import { givenReleaseKeys } from '../content/release/signatures/release-keys.ts';
import type { Context } from '../core/context.ts';
import { AtollError } from '../core/errors.ts';
import { parseBytes } from '../core/format.ts';
import { parseWindow, withinWindow } from '../core/time-window.ts';
import { createWeb } from '../http/web.ts';
import { formatDestination, parseClusterMirror } from '../mirror/destination.ts';
import type { OtherMirrors } from '../mirror/flow/other-mirrors.ts';
import type { MirrorReport } from '../mirror/flow/report.ts';
import { workingFile } from '../mirror/flow/working-files.ts';
import { loadAuthFiles } from '../remote/config/auth-file.ts';
import type { Registries } from '../remote/registries.ts';
import type { OptionSpec, OptionValues, Terminal } from './command.ts';
import { number, onOff, text, texts } from './flags.ts';
import {
  REGISTRY_OPTIONS,
  type RegistryFlags,
  registriesFrom,
  registryOptionsFrom,
  VERIFY_TARGET,
} from './registry-options.ts';

/** Flags that replace what the internet would answer. */
export const COLLECT_OPTIONS = {
  graph: text('URL|FILE', 'Update graph, instead of the public service'),
  graphData: text('URL|FILE', 'Graph data for the update service image'),
  graphBaseImage: text(
    'REF',
    'Image the graph data is put on, instead of the universal base image',
  ),
  signatureStore: texts(
    'URL',
    'Release signatures (https:// or file://), instead of the public stores',
  ),
  releaseKey: texts('FILE', 'Public GPG key of the releases, instead of Red Hat’s'),
  sigstoreKey: text('FILE', 'Public key to verify Sigstore signatures with'),
  ignoreReleaseSignature: onOff(
    'Take releases whose GPG signature is missing or wrong, and say so',
  ),
  dependencies: onOff('Leave out operators that the chosen ones depend on', { default: true }),
} as const satisfies Readonly<Record<string, OptionSpec>>;

/** Flags that spare a line others need, too. */
export const PACE_OPTIONS = {
  maxRate: text('BYTES/S', 'Most that all images together take, such as 20M'),
  window: text(
    'HH:MM-HH:MM',
    'Run only then: waits until it opens, and stops when it closes; the next run goes on',
  ),
} as const satisfies Readonly<Record<string, OptionSpec>>;

type PaceFlags = OptionValues<typeof PACE_OPTIONS>;

/** Runs within the time window of the flags, and hands on the rate they allow. */
export function paced<T>(
  ctx: Context,
  { maxRate, window }: PaceFlags,
  work: (ctx: Context, pace: { readonly maxBytesPerSecond: number | undefined }) => Promise<T>,
): Promise<T> {
  const maxBytesPerSecond = maxRate === undefined ? undefined : parseBytes(maxRate);
  const within = window === undefined ? undefined : parseWindow(window);
  return withinWindow(ctx, within, (inside) => work(inside, { maxBytesPerSecond }));
}

/** Flags of every command that fills a mirror. */
export const MIRROR_OPTIONS = {
  dir: text('DIR', 'Where working-dir is: memory, reports, cluster resources', { default: '.' }),
  maxNestedPaths: number('COUNT', 'Most path components the registry allows; 0 for no limit', {
    default: 0,
  }),
  icsp: onOff('Write ImageContentSourcePolicy instead of IDMS and ITMS'),
  alsoAt: texts(
    'HOST[/PATH]',
    'Another mirror with the same content: rules name it second, for when this one is away; later runs know it, "none" forgets',
  ),
  signatures: onOff('Leave Sigstore signatures and other artifacts behind', { default: true }),
  concurrency: number('N', 'Blobs under way at once'),
  verifyTarget: VERIFY_TARGET,
  ...PACE_OPTIONS,
  ...REGISTRY_OPTIONS,
} as const satisfies Readonly<Record<string, OptionSpec>>;

type CollectFlags = OptionValues<typeof COLLECT_OPTIONS>;

/** What a mirror command works with; closed when it ends. */
export interface MirrorTools {
  readonly registries: Registries;
  readonly collect: CollectDeps;
}

/** Opens registries and the web, runs, and closes them whatever happens. */
export async function withMirrorTools<T>(
  flags: CollectFlags & RegistryFlags & { readonly dir?: string },
  terminal: Pick<Terminal, 'env'>,
  work: (tools: MirrorTools) => Promise<T>,
): Promise<T> {
  const options = registryOptionsFrom(flags, terminal);
  const registries = registriesFrom(flags, terminal);
  const web = createWeb(options);
  try {
    const collect: CollectDeps = {
      source: (reference) => registries.source(reference),
      web,
      downloads: workingFile(resolve(flags.dir ?? '.'), 'downloads'),
      graph: flags.graph,
      graphData: flags.graphData,
      graphBaseImage: flags.graphBaseImage,
      signatureStores: flags.signatureStore.length > 0 ? flags.signatureStore : undefined,
      lookaside: (reference) => registries.lookaside(reference),
      releaseKeys: await givenReleaseKeys(flags.releaseKey.map((file) => resolve(file))),
      sigstoreKey: flags.sigstoreKey ? await sigstoreKeyIn(flags.sigstoreKey) : undefined,
      ignoreReleaseSignature: flags.ignoreReleaseSignature,
      chartLogin: chartLoginFrom(options, terminal.env),
    };
    return await work({ registries, collect });
  } finally {
    web.close();
    await registries.close();
  }
}

async function sigstoreKeyIn(file: string): Promise<CollectDeps['sigstoreKey']> {
  const { loadSigstoreKey } = await import('../content/release/signatures/sigstore.ts');
  return await loadSigstoreKey(resolve(file));
}

/** As "helm repo add" wrote it down, else from the auth files, by host. */
function chartLoginFrom(
  { authfile }: { readonly authfile?: string | undefined },
  env: Terminal['env'],
): CollectDeps['chartLogin'] {
  return async (url) => {
    const { helmLogin } = await import('../content/helm/chart-login.ts');
    const known = await helmLogin(env, url);
    if (known) return known;
    const { host, pathname } = new URL(url);
    const lookup = await loadAuthFiles({ authfile, env });
    const found = await lookup.credentialFor(host, pathname.replace(/^\/+|\/+$/g, ''));
    return found?.kind === 'basic' ? found : undefined;
  };
}

/** Mirrors that rules name beside the one that is filled. */
export function otherMirrors({
  to,
  alsoAt,
}: {
  readonly to: string;
  readonly alsoAt: readonly string[];
}): OtherMirrors | undefined {
  if (alsoAt.length === 0) return undefined;
  const placeOf = (text: string) => formatDestination(parseClusterMirror(text));
  const isNone = alsoAt.length === 1 && alsoAt[0] === 'none';
  const [home, mirrors] = [placeOf(to), isNone ? [] : alsoAt.map(placeOf)];
  if (mirrors.includes(home) || new Set(mirrors).size < mirrors.length)
    throw new AtollError(
      'USAGE',
      `Cannot name ${mirrors.join(', ')} beside ${home}: one is named twice`,
      {
        hint: 'Leave it out of --also-at',
      },
    );
  return { of: home, mirrors };
}

/** Everything is there, or some images are not and the rest is in place. */
export const reportExitCode = ({ failed }: Pick<MirrorReport, 'failed'>): number =>
  failed > 0 ? 7 : 0;
