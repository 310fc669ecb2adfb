import type { Context } from '../../core/context.ts';
import { AtollError } from '../../core/errors.ts';
import type { Claim } from '../platform.ts';
import type { BootConfig } from '../shared/boot-config.ts';
import type { VirtualMachine } from '../shared/virtual-bastion.ts';
import { CATEGORY, isOf } from './category.ts';
import { type Entity, nameOf } from './client/entities.ts';
import { allOf, type EntityKind, type Prism, runPrismTask } from './client/prism.ts';
import { bastionImage, bastionSize, bastionSubnet, type NutanixSite } from './settings.ts';

const VM_KIND = 'nutanix-vm';
const IMAGE_KIND = 'nutanix-image';
const KINDS: Readonly<Record<string, EntityKind>> = { [VM_KIND]: 'vm', [IMAGE_KIND]: 'image' };

/** The calls that make a machine, and how often their ends are looked for. */
export interface PrismWorld {
  readonly prism: Prism;
  readonly pollMs: number;
}

const machineName = ({ name }: NutanixSite): string => `${name}-bastion`;

/** The bastion as a machine with its Ignition config as user data. */
export function bastionMachine(site: NutanixSite, world: PrismWorld): VirtualMachine {
  const { prism } = world;
  const name = machineName(site);
  const find = (ctx: Context) => ownEntity(ctx, prism, site.name, 'vm', name);
  return {
    // A private site needs it for the install alone; in a disconnected one it is the mirror.
    resource: { kind: VM_KIND, id: name, temporary: !site.disconnected },
    async find(ctx) {
      const found = await find(ctx);
      return found && { hostKey: hostKeyIn(found) };
    },
    make: (ctx, boot) => makeMachine(ctx, site, world, boot),
    // It is made running; one that was switched off is somebody's decision.
    start: async () => undefined,
    async address(ctx) {
      const nics = (await find(ctx))?.status.resources.nic_list ?? [];
      const ends = nics.flatMap(({ ip_endpoint_list: list = [] }) => list);
      return ends.flatMap(({ ip }) => ip ?? [])[0];
    },
    // Prism keeps user data for the life of a machine.
    forgetBoot: async () => undefined,
  };
}

const hostKeyIn = ({ spec }: Entity): string =>
  /ssh-ed25519 \S+/.exec(spec.description ?? '')?.[0] ?? '';

async function makeMachine(
  ctx: Context,
  site: NutanixSite,
  world: PrismWorld,
  { ignition, hostKey }: BootConfig,
): Promise<void> {
  const { settings } = site;
  const name = machineName(site);
  const { cpus, memoryMiB, diskGiB } = bastionSize(settings);
  const image = await imageUuid(ctx, site, world);
  const resources = {
    ...{ num_sockets: cpus, num_vcpus_per_socket: 1, memory_size_mib: memoryMiB },
    power_state: 'ON',
    disk_list: [
      {
        data_source_reference: { kind: 'image', uuid: image },
        device_properties: {
          device_type: 'DISK',
          disk_address: { adapter_type: 'SCSI', device_index: 0 },
        },
        disk_size_mib: diskGiB * 1024,
      },
    ],
    nic_list: [{ subnet_reference: { kind: 'subnet', uuid: bastionSubnet(settings) } }],
    guest_customization: {
      cloud_init: { user_data: Buffer.from(ignition).toString('base64') },
    },
  };
  const body = {
    spec: {
      name,
      description: `Bastion of the site ${site.name}, made by atoll; its host key is ${hostKey}`,
      cluster_reference: { kind: 'cluster', uuid: settings.prismElement.uuid },
      resources,
    },
    metadata: { kind: 'vm', categories: { [CATEGORY]: site.name } },
  };
  const doing = `make the machine ${name}`;
  await runPrismTask(ctx, world, { doing, method: 'POST', path: 'vms', body });
}

async function imageUuid(ctx: Context, site: NutanixSite, { prism }: PrismWorld): Promise<string> {
  const source = bastionImage(site.settings);
  const name = source && 'name' in source ? source.name : machineName(site);
  const images = await allOf(ctx, prism, 'image');
  const uuid = images.find((each) => nameOf(each) === name)?.metadata.uuid;
  if (uuid !== undefined) return uuid;
  const names = images.map((each) => `"${nameOf(each)}"`).toSorted();
  throw new AtollError('CLOUD_REFUSED', `Cannot make the bastion: Prism has no image "${name}"`, {
    hint: `Correct platform.bastion.image, there is ${names.join(', ') || 'none'}; or let Prism fetch one: platform.bastion.imageUrl`,
  });
}

/** Lets Prism fetch the image of the bastion, where the site says from where. */
export async function makeImage(
  ctx: Context,
  site: NutanixSite,
  world: PrismWorld,
  claim: Claim,
): Promise<void> {
  const source = bastionImage(site.settings);
  if (site.bastion.address !== undefined || source === undefined || !('url' in source)) return;
  const name = machineName(site);
  await claim({ kind: IMAGE_KIND, id: name, temporary: !site.disconnected });
  if (await ownEntity(ctx, world.prism, site.name, 'image', name)) return;
  const body = {
    spec: { name, resources: { image_type: 'DISK_IMAGE', source_uri: source.url } },
    metadata: { kind: 'image', categories: { [CATEGORY]: site.name } },
  };
  const doing = `fetch the image of the bastion from ${source.url}`;
  await runPrismTask(ctx, world, { doing, method: 'POST', path: 'images', body });
}

/** What the site made under a name; one that another made is not touched. */
async function ownEntity(
  ctx: Context,
  prism: Prism,
  site: string,
  kind: EntityKind,
  name: string,
): Promise<Entity | undefined> {
  const found = (await allOf(ctx, prism, kind)).filter((each) => nameOf(each) === name);
  const own = found.find((each) => isOf(each, site));
  if (own !== undefined || found.length === 0) return own;
  throw new AtollError(
    'CLOUD_LEFTOVERS',
    `Cannot use the ${kind} ${name}: atoll did not make it for "${site}"`,
    { hint: 'Give the site another name, or remove it yourself if nobody needs it' },
  );
}

/** Removes a machine or an image of the site; false where the resource is none of both. */
export async function removeEntity(
  ctx: Context,
  site: string,
  world: PrismWorld,
  { kind: resource, id }: { readonly kind: string; readonly id: string },
): Promise<boolean> {
  const kind = KINDS[resource];
  if (kind === undefined) return false;
  const found = await ownEntity(ctx, world.prism, site, kind, id);
  const uuid = found?.metadata.uuid;
  if (uuid === undefined) return true;
  const path = `${kind}s/${uuid}`;
  await runPrismTask(ctx, world, { doing: `remove the ${kind} ${id}`, method: 'DELETE', path });
  return true;
}
