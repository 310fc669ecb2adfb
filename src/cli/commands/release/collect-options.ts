import type { CollectDeps } from '../../../content/collecting.ts';
import { loadReleaseKeys } from '../../../content/release/signatures/release-keys.ts';
import { loadSigstoreKey } from '../../../content/release/signatures/sigstore.ts';
import type { Web } from '../../../content/web/web.ts';
import type { Registries } from '../../../remote/registries.ts';
import type { OptionSpec, OptionValues, Terminal } from '../../command.ts';
import { SIGNATURE_OPTIONS } from './signature-options.ts';

/** The flags of every command that collects what an image set asks for. */
export const COLLECT_OPTIONS = {
  graph: {
    type: 'string',
    value: 'URL|FILE',
    summary: 'Update service, graph file, or folder of <arch>-<channel>.json files',
  },
  graphData: {
    type: 'string',
    value: 'URL|FILE',
    summary: 'Graph data for the graph image, instead of the public one',
  },
  graphBaseImage: {
    type: 'string',
    value: 'REF',
    summary: 'Image the graph data is put on, instead of ubi9',
  },
  ignoreReleaseSignature: {
    type: 'boolean',
    summary: 'Take releases whose signature is missing or wrong: at your own risk',
  },
  ...SIGNATURE_OPTIONS,
} as const satisfies Readonly<Record<string, OptionSpec>>;

export type CollectFlags = OptionValues<typeof COLLECT_OPTIONS>;

/** What the flags, and the variables oc-mirror knows, mean to the collectors. */
export async function collectDepsFrom(
  flags: CollectFlags,
  { env }: Pick<Terminal, 'env'>,
  reach: { readonly registries: Registries; readonly web: Web },
): Promise<CollectDeps> {
  const listed = (given: readonly string[], variable: string | undefined) =>
    given.length > 0 || !variable ? given : [variable];
  return {
    source: (reference) => reach.registries.source(reference),
    web: reach.web,
    graph: flags.graph ?? (env.UPDATE_URL_OVERRIDE || undefined),
    graphData: flags.graphData,
    graphBaseImage: flags.graphBaseImage,
    releaseKeys: await loadReleaseKeys(listed(flags.releaseKey, env.OCP_SIGNATURE_VERIFICATION_PK)),
    signatureStores: listed(flags.signatureStore, env.OCP_SIGNATURE_URL),
    ignoreReleaseSignature: flags.ignoreReleaseSignature,
    sigstoreKey:
      flags.sigstoreKey === undefined ? undefined : await loadSigstoreKey(flags.sigstoreKey),
  };
}
