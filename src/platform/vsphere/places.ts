import type { PlatformSite } from '../platform.ts';
import type { VsphereSettings } from './settings.ts';

export type VsphereSite = PlatformSite<VsphereSettings>;

/** Something of a vCenter that a site names. */
export interface InventoryPlace {
  /** The setting that names it. */
  readonly setting: string;
  /** In words. */
  readonly what: string;
  readonly path: string;
  /** Types that it may have. */
  readonly types: readonly string[];
}

const NETWORKS = ['Network', 'DistributedVirtualPortgroup'];

/** Where the objects of a site are in the inventory. Names stand for what is usual, paths for themselves. */
export function placesOf({ datacenter, ...settings }: VsphereSettings) {
  const at = (folder: string, name: string) =>
    name.startsWith('/') ? name : `/${datacenter}/${folder}/${name}`;
  const cluster = at('host', settings.cluster);
  const pool = settings.resourcePool;
  const { template, bastion } = settings;
  const machine = (setting: string, name: string): InventoryPlace => ({
    ...{ setting, what: 'template', types: ['VirtualMachine'] },
    path: at('vm', name),
  });
  return {
    datacenter: {
      ...{ setting: 'datacenter', what: 'datacenter', types: ['Datacenter'] },
      path: `/${datacenter}`,
    },
    cluster: {
      ...{ setting: 'cluster', what: 'compute cluster', types: ['ClusterComputeResource'] },
      path: cluster,
    },
    datastore: {
      ...{ setting: 'datastore', what: 'datastore', types: ['Datastore'] },
      path: at('datastore', settings.datastore),
    },
    network: {
      ...{ setting: 'network', what: 'network', types: NETWORKS },
      path: at('network', settings.network),
    },
    bastionNetwork: {
      ...{ setting: 'bastion.network', what: 'network', types: NETWORKS },
      path: at('network', bastion?.network ?? settings.network),
    },
    folder: {
      ...{ setting: 'folder', what: 'folder', types: ['Folder'] },
      path: settings.folder === undefined ? `/${datacenter}/vm` : at('vm', settings.folder),
    },
    pool: {
      ...{ setting: 'resourcePool', what: 'resource pool', types: ['ResourcePool'] },
      path:
        pool === undefined
          ? `${cluster}/Resources`
          : pool.startsWith('/')
            ? pool
            : `${cluster}/Resources/${pool}`,
    },
    template: template === undefined ? undefined : machine('template', template),
    bastionTemplate:
      bastion?.template === undefined
        ? template === undefined
          ? undefined
          : machine('template', template)
        : machine('bastion.template', bastion.template),
  } satisfies Record<string, InventoryPlace | undefined>;
}

/** The bastion's own place. */
export const bastionPath = ({ name, settings }: VsphereSite): string =>
  `${placesOf(settings).folder.path}/${name}-bastion`;
