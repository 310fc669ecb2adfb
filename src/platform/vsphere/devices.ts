import type { Context } from '../../core/context.ts';
import { AtollError } from '../../core/errors.ts';
import { childrenOf, under, type Xml } from '../shared/xml.ts';
import { type Markup, type Ref, tag, typedTag } from './client/markup.ts';
import { propertiesOf } from './client/properties.ts';
import { refIn, textIn, typeOf } from './client/read.ts';
import type { Vcenter } from './client/vcenter.ts';

const CARD = /^Virtual(?:E1000e?|PCNet32|Vmxnet[23]?|SriovEthernetCard)$/;
const KIB_PER_GIB = 1024 * 1024;

/** The devices of a machine. */
export async function devicesOf(ctx: Context, vcenter: Vcenter, vm: Ref): Promise<readonly Xml[]> {
  const found = await propertiesOf(ctx, vcenter, vm, ['config.hardware.device']);
  return childrenOf(found.get('config.hardware.device'), 'VirtualDevice');
}

/** The change that puts the first network card of a machine on a network. */
export async function onNetwork(
  ctx: Context,
  vcenter: Vcenter,
  devices: readonly Xml[],
  network: Ref,
): Promise<Markup> {
  const card = devices.find((device) => CARD.test(typeOf(device)));
  if (card === undefined)
    throw new AtollError(
      'CLOUD_REFUSED',
      'Cannot make the bastion: its template has no network card',
      {
        hint: 'Name a template made from the OVA of CoreOS: platform.bastion.template',
      },
    );
  const backing =
    network.type === 'Network'
      ? await plainBacking(ctx, vcenter, network)
      : await switchBacking(ctx, vcenter, network);
  const connectable = tag('connectable', [
    tag('startConnected', true),
    tag('allowGuestControl', true),
    tag('connected', true),
  ]);
  return edited(card, [backing, connectable], []);
}

async function plainBacking(ctx: Context, vcenter: Vcenter, network: Ref): Promise<Markup> {
  const name = (await propertiesOf(ctx, vcenter, network, ['name'])).get('name');
  return typedTag('backing', 'VirtualEthernetCardNetworkBackingInfo', [
    tag('deviceName', textIn(name)),
  ]);
}

async function switchBacking(ctx: Context, vcenter: Vcenter, group: Ref): Promise<Markup> {
  const names = ['key', 'config.distributedVirtualSwitch'];
  const found = await propertiesOf(ctx, vcenter, group, names);
  const owner = refIn(found.get('config.distributedVirtualSwitch'));
  const uuid =
    owner === undefined ? '' : (await propertiesOf(ctx, vcenter, owner, ['uuid'])).get('uuid');
  return typedTag('backing', 'VirtualEthernetCardDistributedVirtualPortBackingInfo', [
    tag('port', [tag('switchUuid', textIn(uuid)), tag('portgroupKey', textIn(found.get('key')))]),
  ]);
}

/** The change that makes the first disk of a machine as large as is wanted; none where it is. */
export function withDisk(devices: readonly Xml[], gib: number): Markup[] {
  const disk = devices.find((device) => typeOf(device) === 'VirtualDisk');
  const wanted = gib * KIB_PER_GIB;
  if (disk === undefined || Number(textIn(disk, 'capacityInKB')) >= wanted) return [];
  const backing = typedTag('backing', typeOf(under(disk, 'backing')), [
    tag('fileName', textIn(disk, 'backing', 'fileName')),
    tag('diskMode', textIn(disk, 'backing', 'diskMode')),
  ]);
  return [edited(disk, [backing], [tag('capacityInKB', wanted)])];
}

function edited(device: Xml, changes: readonly Markup[], own: readonly Markup[]): Markup {
  const kept = ['controllerKey', 'unitNumber'].flatMap((name) => {
    const value = textIn(device, name);
    return value === '' ? [] : [tag(name, value)];
  });
  const fields = [tag('key', textIn(device, 'key')), ...changes, ...kept, ...own];
  const change = [tag('operation', 'edit'), typedTag('device', typeOf(device), fields)];
  return typedTag('deviceChange', 'VirtualDeviceConfigSpec', change);
}
