import type { ReleaseArchitecture } from '../../../content/image-set/image-set.ts';
import { createGraphSource } from '../../../content/release/graph/graph-source.ts';
import type { ComponentReach } from '../../../content/release/locate-component.ts';
import {
  findVersion,
  isBareVersion,
  type OpenRelease,
  openRelease,
  type ReleasePlace,
  referenceOf,
  refusePartOfVersion,
} from '../../../content/release/open-release.ts';
import type { Context } from '../../../core/context.ts';
import { createWeb, type Web } from '../../../http/web.ts';
import { openSource, parseImageLocation } from '../../../mirror/image-location.ts';
import type { Source } from '../../../oci/content.ts';
import {
  formatReference,
  parseReference,
  type Reference,
  tagOrDigestOf,
} from '../../../oci/reference.ts';
import type { Registries } from '../../../remote/registries.ts';
import type { CommandInput, OptionSpec } from '../../command.ts';
import { text } from '../../flags.ts';
import { REGISTRY_OPTIONS, registriesFrom, registryOptionsFrom } from '../../registry-options.ts';

export const RELEASE_ARGUMENT = {
  name: 'release',
  summary: 'Release image, oci:DIR:NAME, or a version such as 4.18.1',
} as const;

/** The flags of every command that reads a release. */
export const RELEASE_OPTIONS = {
  graph: text('URL|FILE', 'Update service or graph file with which versions are looked up'),
  arch: text('ARCH', 'Architecture of a release that is given by its version', {
    default: 'amd64',
    choices: ['amd64', 'arm64', 'ppc64le', 's390x', 'multi'],
  }),
  ...REGISTRY_OPTIONS,
} as const satisfies Readonly<Record<string, OptionSpec>>;

type ReleaseInput = Pick<CommandInput<typeof RELEASE_OPTIONS>, 'args' | 'options' | 'terminal'>;

export interface ReleaseTools {
  readonly release: OpenRelease;
  readonly reach: ComponentReach;
  readonly web: Web;
  /** Where `registries.d` says that its GPG signatures lie. */
  readonly lookaside: string | undefined;
}

/** Opens the release the command line names, for as long as `work` takes. */
export async function withRelease<T>(
  ctx: Context,
  { args, options, terminal }: ReleaseInput,
  work: (tools: ReleaseTools) => Promise<T>,
): Promise<T> {
  const registries = registriesFrom(options, terminal);
  const web = createWeb(registryOptionsFrom(options, terminal));
  try {
    const name = args.release ?? '';
    refusePartOfVersion(name);
    const text = isBareVersion(name) ? await imageOf(ctx, name, options, web) : name;
    const release = await openRelease(ctx, await placeOf(ctx, text, registries));
    const reach = {
      source: registries.source.bind(registries),
      repository: registries.repository.bind(registries),
    };
    const { reference } = release.place;
    const lookaside = reference && (await registries.lookaside(reference));
    return await work({ release, reach, web, lookaside });
  } finally {
    web.close();
    await registries.close();
  }
}

async function imageOf(
  ctx: Context,
  version: string,
  { arch, graph }: { readonly arch: string; readonly graph?: string | undefined },
  web: Web,
): Promise<string> {
  const graphs = createGraphSource(web, graph);
  return formatReference(await findVersion(ctx, version, arch as ReleaseArchitecture, graphs));
}

async function placeOf(ctx: Context, text: string, registries: Registries): Promise<ReleasePlace> {
  const bare = text.replace(/^docker:\/\//, '');
  if (/^(oci|dir):/.test(bare)) {
    const location = parseImageLocation(bare);
    const { source, reference: tagOrDigest } = await openSource(ctx, location, registries);
    const reference = location.kind === 'oci' ? referenceOf(location.name) : undefined;
    return { reference, source: named(source, reference), tagOrDigest, shown: text };
  }
  const reference = parseReference(bare);
  const source = registries.source(reference);
  return { reference, source, tagOrDigest: tagOrDigestOf(reference), shown: text };
}

/** In a layout of several repositories a tag, such as a signature's, stands under its full name. */
function named(source: Source, reference: Reference | undefined): Source {
  if (!reference) return source;
  const prefix = `${reference.registry}/${reference.repository}:`;
  return {
    ...source,
    resolve: async (ctx, name) =>
      (await source.resolve(ctx, name)) ?? (await source.resolve(ctx, `${prefix}${name}`)),
  };
}
