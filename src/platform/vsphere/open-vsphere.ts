import { imageRegistryObjects } from '../../generate/cluster/image-registry.ts';
import type { OpenPlatform } from '../platform.ts';
import { siteCredentials } from '../shared/credentials.ts';
import { openVirtual } from '../shared/open-virtual.ts';
import { VIRTUAL_WORLD, type VirtualWorld } from '../shared/virtual-bastion.ts';
import { bastionVm, removeVm, VM_KIND } from './bastion-vm.ts';
import { connectVcenter, type Vcenter, type VcenterOptions } from './client/vcenter.ts';
import { bastionPath, placesOf, type VsphereSite } from './places.ts';
import { vspherePreflight } from './preflight.ts';

/** What the platform reaches the world by; tests bring their own. */
export interface VsphereWorld extends VirtualWorld {
  readonly connect: (options: VcenterOptions) => Vcenter;
}

export const VSPHERE_WORLD: VsphereWorld = { ...VIRTUAL_WORLD, connect: connectVcenter };

export function openVsphere(site: VsphereSite, world: VsphereWorld): OpenPlatform {
  const { settings, files } = site;
  const login = () => siteCredentials(site);
  const vcenter = world.connect({ server: settings.server, login, ca: files.ca });
  const calls = { vcenter, pollMs: world.pollMs };
  const { imageRegistry = 'volume' } = settings;
  const storage =
    imageRegistry === 'none'
      ? []
      : [
          `give the cluster's registry its storage: ${imageRegistry === 'volume' ? 'a volume' : 'an emptyDir'}`,
        ];
  return openVirtual(
    site,
    {
      plan: {
        infrastructure: infrastructurePlan(site),
        bastion: bastionPlan(site),
      },
      preflight: (ctx) => vspherePreflight(ctx, vcenter, site),
      bastion: bastionVm(site, calls),
      objects: imageRegistry === 'none' ? [] : imageRegistryObjects(imageRegistry),
      planObjects: storage,
      async remove(ctx, { kind, id }) {
        if (kind !== VM_KIND) return false;
        await removeVm(ctx, site.name, calls, id);
        return true;
      },
      close: vcenter.close,
    },
    world,
  );
}

function infrastructurePlan({ settings, files }: VsphereSite): string[] {
  const { datacenter, cluster, datastore, network, folder, pool, template } = placesOf(settings);
  const used = [datacenter, cluster, pool, datastore, network, folder, template];
  const paths = used.flatMap((place) => (place ? [place.path] : []));
  const trust = files.ca === undefined ? '' : `, trusted by ${files.ca}`;
  const image = settings.clusterOsImage ? [`boot machines from ${settings.clusterOsImage}`] : [];
  return [
    `look at the vCenter ${settings.server}${trust}: privileges, and ${paths.join(', ')}; nothing is made there`,
    ...image,
  ];
}

function bastionPlan(site: VsphereSite): string[] {
  const { bastion = {} } = site.settings;
  const { bastionTemplate, bastionNetwork } = placesOf(site.settings);
  const { cpus = 4, memoryMiB = 8192, diskGiB = 500 } = bastion;
  return [
    `make the machine ${bastionPath(site)} from ${bastionTemplate?.path ?? 'a template that is still to be named'}, on ${bastionNetwork.path}, with ${cpus} processors, ${memoryMiB} MiB and a disk of ${diskGiB} GiB`,
    'give it its Ignition config and its host key as guestinfo, trust it by that key, and take the config away again',
  ];
}
