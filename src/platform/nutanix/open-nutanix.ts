import { join } from 'node:path';
import type { Context } from '../../core/context.ts';
import { SECRET_MODE, writeFileAtomic } from '../../core/files.ts';
import { toYaml } from '../../core/yaml.ts';
import { readCredentialsRequests } from '../../generate/credentials/credentials-request.ts';
import { secretFileName, secretManifest } from '../../generate/credentials/secret-manifest.ts';
import { selectRequests } from '../../generate/credentials/select-requests.ts';
import type { OpenPlatform } from '../platform.ts';
import { siteCredentials } from '../shared/credentials.ts';
import { EXTRA_MANIFESTS } from '../shared/installer.ts';
import { openVirtual } from '../shared/open-virtual.ts';
import { VIRTUAL_WORLD, type VirtualWorld } from '../shared/virtual-bastion.ts';
import { bastionMachine, makeImage, removeEntity } from './bastion-machine.ts';
import { CATEGORY, CATEGORY_KIND, makeCategory, removeCategory } from './category.ts';
import { connectPrism, type Prism, type PrismOptions } from './client/prism.ts';
import { nutanixPreflight } from './preflight.ts';
import {
  bastionImage,
  bastionSize,
  bastionSubnet,
  type NutanixSite,
  prismServer,
} from './settings.ts';

/** What the platform reaches the world by; tests bring their own. */
export interface NutanixWorld extends VirtualWorld {
  readonly connect: (options: PrismOptions) => Prism;
}

export const NUTANIX_WORLD: NutanixWorld = { ...VIRTUAL_WORLD, connect: connectPrism };

export function openNutanix(site: NutanixSite, world: NutanixWorld): OpenPlatform {
  const { settings, files, name } = site;
  const login = () => siteCredentials(site);
  const prism = world.connect({ server: prismServer(settings), login, ca: files.ca });
  const calls = { prism, pollMs: world.pollMs };
  return openVirtual(
    site,
    {
      plan: { infrastructure: infrastructurePlan(site), bastion: bastionPlan(site) },
      preflight: (ctx) => nutanixPreflight(ctx, prism, site),
      async provision(ctx, claim) {
        if (site.bastion.address !== undefined) return;
        await claim({ kind: CATEGORY_KIND, id: name, temporary: !site.disconnected });
        await makeCategory(ctx, prism, name);
        await makeImage(ctx, site, calls, claim);
      },
      bastion: bastionMachine(site, calls),
      beforeBoot: (ctx) => writeSecrets(ctx, site),
      async remove(ctx, resource) {
        if (resource.kind !== CATEGORY_KIND) return await removeEntity(ctx, name, calls, resource);
        await removeCategory(ctx, prism, resource.id);
        return true;
      },
      close: prism.close,
    },
    world,
  );
}

/** Nobody makes users on Nutanix: operators get the login of the site, as Secrets for the installer. */
async function writeSecrets(ctx: Context, site: NutanixSite): Promise<void> {
  const { paths, shape } = site;
  const key = await siteCredentials(site);
  const texts = await shape.credentialsRequests(ctx, 'nutanix');
  const requests = texts.flatMap((text) => readCredentialsRequests(text, 'the release'));
  const { disabledCapabilities } = shape;
  const { selected } = selectRequests(requests, {
    kind: 'NutanixProviderSpec',
    disabledCapabilities,
  });
  for (const request of selected) {
    const secret = secretManifest(request, key);
    const path = join(paths.install, EXTRA_MANIFESTS, 'manifests', secretFileName(secret));
    await writeFileAtomic(path, toYaml(secret), { mode: SECRET_MODE });
  }
}

function infrastructurePlan({ settings, files, name, bastion }: NutanixSite): string[] {
  const { prismElement, subnetUuid, preloadedOsImage, clusterOsImage } = settings;
  const trust = files.ca === undefined ? '' : `, trusted by ${files.ca}`;
  const element = `${prismElement.name ?? prismElement.uuid} (${prismElement.address}:${prismElement.port ?? 9440})`;
  const image = preloadedOsImage ?? clusterOsImage;
  const source = bastionImage(settings);
  return [
    `look at Prism Central ${prismServer(settings)}${trust}: the cluster ${element}, the subnet ${subnetUuid}${image ? `, the image ${image}` : ''}`,
    ...(bastion.address === undefined ? [`make the category ${CATEGORY}: ${name}`] : []),
    ...(source && 'url' in source
      ? [`let Prism fetch the image of the bastion from ${source.url}`]
      : []),
  ];
}

function bastionPlan({ settings, name }: NutanixSite): string[] {
  const { cpus, memoryMiB, diskGiB } = bastionSize(settings);
  const source = bastionImage(settings);
  const image = source && ('name' in source ? source.name : source.url);
  return [
    `make the machine ${name}-bastion from ${image ?? 'an image that is still to be named'}, on the subnet ${bastionSubnet(settings)}, with ${cpus} processors, ${memoryMiB} MiB and a disk of ${diskGiB} GiB`,
    'give it its Ignition config and its host key as user data, and trust it by that key',
  ];
}
