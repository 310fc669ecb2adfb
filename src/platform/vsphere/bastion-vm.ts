import type { Context } from '../../core/context.ts';
import { AtollError } from '../../core/errors.ts';
import type { BootConfig } from '../shared/boot-config.ts';
import type { VirtualMachine } from '../shared/virtual-bastion.ts';
import { childrenOf, type Xml } from '../shared/xml.ts';
import { faultOf } from './client/fault.ts';
import { type Markup, type Ref, refTag, tag, typedTag } from './client/markup.ts';
import { objectAt, propertiesOf } from './client/properties.ts';
import { textIn } from './client/read.ts';
import { runTask } from './client/task.ts';
import type { Vcenter } from './client/vcenter.ts';
import { devicesOf, onNetwork, withDisk } from './devices.ts';
import { findPlace } from './find-place.ts';
import { bastionPath, placesOf, type VsphereSite } from './places.ts';

/** How the inventory knows a machine that was made. */
export const VM_KIND = 'vsphere-vm';

/** Extra config of the machine, which only users with access to the vCenter can read. */
const SITE_KEY = 'atoll.site';
const HOST_KEY = 'atoll.host-key';
const DATA_KEY = 'guestinfo.ignition.config.data';
const ENCODING_KEY = 'guestinfo.ignition.config.data.encoding';

const DEFAULTS = { cpus: 4, memoryMiB: 8192, diskGiB: 500 } as const;

/** The calls that make a machine, and how often their ends are looked for. */
export interface VmWorld {
  readonly vcenter: Vcenter;
  readonly pollMs: number;
}

/** The bastion as a clone of a template, with its Ignition config in its guestinfo. */
export function bastionVm(site: VsphereSite, world: VmWorld): VirtualMachine {
  const { vcenter } = world;
  const path = bastionPath(site);
  const existing = async (ctx: Context): Promise<Ref> => {
    const vm = await ownVm(ctx, vcenter, site.name, path);
    if (vm) return vm.ref;
    throw new AtollError('CLOUD_REFUSED', `Cannot go on with ${path}: it is gone`, {
      hint: 'Run the same command again: it is made anew',
    });
  };
  return {
    // A private site needs it for the install alone; in a disconnected one it is the mirror.
    resource: { kind: VM_KIND, id: path, temporary: !site.disconnected },
    async find(ctx) {
      const vm = await ownVm(ctx, vcenter, site.name, path);
      return vm && { hostKey: vm.options.get(HOST_KEY) ?? '' };
    },
    make: (ctx, boot) => cloneTemplate(ctx, site, world, boot),
    start: async (ctx) => start(ctx, site, world, await existing(ctx)),
    async address(ctx) {
      const found = await propertiesOf(ctx, vcenter, await existing(ctx), ['guest.ipAddress']);
      return textIn(found.get('guest.ipAddress')) || undefined;
    },
    async forgetBoot(ctx) {
      const target = await existing(ctx);
      const { options } = await optionsOf(ctx, vcenter, target);
      if (!options.has(DATA_KEY)) return;
      const doing = `take the Ignition config from ${path}`;
      const spec = tag('spec', [option(DATA_KEY, ''), option(ENCODING_KEY, '')]);
      await runTask(ctx, world, { doing, method: 'ReconfigVM_Task', target, fields: [spec] });
    },
  };
}

const option = (key: string, value: string): Markup =>
  typedTag('extraConfig', 'OptionValue', [tag('key', key), typedTag('value', 'xsd:string', value)]);

async function cloneTemplate(
  ctx: Context,
  { name, settings }: VsphereSite,
  { vcenter, pollMs }: VmWorld,
  { ignition, hostKey }: BootConfig,
): Promise<void> {
  const places = placesOf(settings);
  if (places.bastionTemplate === undefined) throw noTemplate();
  const template = await findPlace(ctx, vcenter, places.bastionTemplate);
  const { cpus = DEFAULTS.cpus, memoryMiB = DEFAULTS.memoryMiB } = settings.bastion ?? {};
  const location = tag('location', [
    refTag('datastore', await findPlace(ctx, vcenter, places.datastore)),
    refTag('pool', await findPlace(ctx, vcenter, places.pool)),
  ]);
  const config = tag('config', [
    tag('annotation', `Bastion of the site ${name}, made by atoll`),
    ...[tag('numCPUs', cpus), tag('memoryMB', memoryMiB)],
    ...[option(SITE_KEY, name), option(HOST_KEY, hostKey)],
    option(DATA_KEY, Buffer.from(ignition).toString('base64')),
    option(ENCODING_KEY, 'base64'),
  ]);
  const fields = [
    refTag('folder', await findPlace(ctx, vcenter, places.folder)),
    tag('name', `${name}-bastion`),
    tag('spec', [location, tag('template', false), config, tag('powerOn', false)]),
  ];
  const doing = `make the machine ${name}-bastion from ${places.bastionTemplate.path}`;
  await runTask(
    ctx,
    { vcenter, pollMs },
    { doing, method: 'CloneVM_Task', target: template, fields },
  );
}

/** Before its first boot it gets its network and its disk; one that runs stays as it is. */
async function start(
  ctx: Context,
  { settings, ...site }: VsphereSite,
  world: VmWorld,
  target: Ref,
): Promise<void> {
  const { vcenter } = world;
  const state = (await propertiesOf(ctx, vcenter, target, ['runtime.powerState'])).get(
    'runtime.powerState',
  );
  if (textIn(state) === 'poweredOn') return;
  const devices = await devicesOf(ctx, vcenter, target);
  const network = await findPlace(ctx, vcenter, placesOf(settings).bastionNetwork);
  const spec = tag('spec', [
    await onNetwork(ctx, vcenter, devices, network),
    ...withDisk(devices, settings.bastion?.diskGiB ?? DEFAULTS.diskGiB),
  ]);
  const doing = `give ${site.name}-bastion its network and its disk`;
  await runTask(ctx, world, { doing, method: 'ReconfigVM_Task', target, fields: [spec] });
  const starting = `start ${site.name}-bastion`;
  await runTask(ctx, world, { doing: starting, method: 'PowerOnVM_Task', target });
}

function noTemplate(): AtollError {
  return new AtollError('INPUT_INVALID', 'Cannot make the bastion: no template is named', {
    hint: 'Import the OVA of CoreOS that the release names, and write platform.template or platform.bastion.template',
  });
}

interface OwnVm {
  readonly ref: Ref;
  readonly options: ReadonlyMap<string, string>;
}

/** The machine of the site at a place; one that another made there is not touched. */
async function ownVm(
  ctx: Context,
  vcenter: Vcenter,
  site: string,
  path: string,
): Promise<OwnVm | undefined> {
  const ref = await objectAt(ctx, vcenter, path);
  if (ref === undefined) return undefined;
  const vm = await optionsOf(ctx, vcenter, ref);
  if (vm.options.get(SITE_KEY) === site) return vm;
  throw new AtollError(
    'CLOUD_LEFTOVERS',
    `Cannot use ${path}: atoll did not make it for "${site}"`,
    {
      hint: 'Give the site another name, or remove the machine yourself if nobody needs it',
      details: { path },
    },
  );
}

async function optionsOf(ctx: Context, vcenter: Vcenter, ref: Ref): Promise<OwnVm> {
  const found = await propertiesOf(ctx, vcenter, ref, ['config.extraConfig']);
  const values: readonly Xml[] = childrenOf(found.get('config.extraConfig'), 'OptionValue');
  const options = values.map((each) => [textIn(each, 'key'), textIn(each, 'value')] as const);
  return { ref, options: new Map(options) };
}

/** Stops and destroys the machine of the site; one that is gone is gone. */
export async function removeVm(
  ctx: Context,
  site: string,
  world: VmWorld,
  path: string,
): Promise<void> {
  const vm = await ownVm(ctx, world.vcenter, site, path);
  if (vm === undefined) return;
  const run = (doing: string, method: string) =>
    runTask(ctx, world, { doing: `${doing} ${path}`, method, target: vm.ref });
  await run('stop', 'PowerOffVM_Task').catch((error: unknown) => {
    if (faultOf(error) !== 'InvalidPowerState') throw error;
  });
  await run('remove', 'Destroy_Task');
}
