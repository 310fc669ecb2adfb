import type { Context } from '../core/context.ts';
import { readText } from '../core/files.ts';
import type { SiteShape } from '../platform/platform.ts';
import { type Site, sitePath } from './read-site.ts';

/** As the release names processors in its own files. */
const ARCHITECTURES: Readonly<Record<string, string>> = { amd64: 'x86_64', arm64: 'aarch64' };

/** What a platform that makes things needs to know of a site. */
export function siteShape(site: Site): SiteShape {
  const { cluster, bastion, registry, proxy, release } = site;
  const isOurs = registry.type === 'embedded';
  const { architecture } = release;
  return {
    machineNetwork: cluster.machineNetwork,
    credentialsMode: cluster.credentialsMode,
    disabledCapabilities: cluster.disabledCapabilities,
    architecture:
      ARCHITECTURES[architecture] ?? (architecture === 'multi' ? 'x86_64' : architecture),
    bastion: {
      ami: bastion.ami,
      user: bastion.user,
      authorizedKeys: () => authorizedKeys(site),
      allowFrom: bastion.allowFrom,
    },
    ports: {
      registry: isOurs ? registry.port : undefined,
      proxy: proxy.enabled ? proxy.port : undefined,
    },
    mirrorName: [isOurs ? registry.host : undefined, proxy.host].find(isName),
    releaseManifests: async (ctx) => {
      const { manifests } = await payloadOf(ctx, site);
      const text = (bytes: Uint8Array) => Buffer.from(bytes).toString('utf8');
      return new Map([...manifests].map(([name, { bytes }]) => [name, text(bytes)]));
    },
    credentialsRequests: async (ctx, cloud) => {
      const payload = await payloadOf(ctx, site);
      const { credentialsRequests } = await import(
        '../content/release/extract/extract-manifests.ts'
      );
      return credentialsRequests(payload, cloud).map(({ content }) => content);
    },
  };
}

/** What reads registries is not read by commands that only write files. */
async function payloadOf(ctx: Context, site: Site) {
  const { upstreamPayload } = await import('./upstream-payload.ts');
  return await upstreamPayload(ctx, site);
}

/** An address needs no name. */
const isName = (host: string | undefined) => host !== undefined && /\.[a-z]/i.test(host);

async function authorizedKeys(site: Site): Promise<readonly string[]> {
  const { sshKey } = site.bastion;
  return sshKey === undefined ? [] : publicKeysOf(await readText(sitePath(site, sshKey)));
}

/** The keys of a `.pub` or `authorized_keys` file. */
export function publicKeysOf(text: string): string[] {
  const lines = text.split('\n').map((line) => line.trim());
  return lines.filter((line) => line !== '' && !line.startsWith('#'));
}
