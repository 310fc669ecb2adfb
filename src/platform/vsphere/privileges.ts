import type { Context } from '../../core/context.ts';
import type { PreflightCheck } from '../platform.ts';
import { childrenOf } from '../shared/xml.ts';
import { type Ref, refTag, tag } from './client/markup.ts';
import { textIn } from './client/read.ts';
import type { Vcenter } from './client/vcenter.ts';

/** What making and removing a bastion asks of the user, by the place it is asked at. The installer asks for more. */
export const BASTION_PRIVILEGES = {
  folder: [
    'VirtualMachine.Config.AdvancedConfig',
    'VirtualMachine.Config.Annotation',
    'VirtualMachine.Config.CPUCount',
    'VirtualMachine.Config.DiskExtend',
    'VirtualMachine.Config.EditDevice',
    'VirtualMachine.Config.Memory',
    'VirtualMachine.Interact.PowerOff',
    'VirtualMachine.Interact.PowerOn',
    'VirtualMachine.Inventory.CreateFromExisting',
    'VirtualMachine.Inventory.Delete',
  ],
  bastionTemplate: ['VirtualMachine.Provisioning.DeployTemplate'],
  pool: ['Resource.AssignVMToPool'],
  datastore: ['Datastore.AllocateSpace'],
  bastionNetwork: ['Network.Assign'],
} as const;

const AUTHORIZATION: Ref = { type: 'AuthorizationManager', value: 'AuthorizationManager' };

/** Which of these privileges the user has not on an object. */
export async function privilegeChecks(
  ctx: Context,
  vcenter: Vcenter,
  object: { readonly ref: Ref; readonly path: string },
  wanted: readonly string[],
): Promise<PreflightCheck[]> {
  const fields = [
    refTag('entity', object.ref),
    tag('sessionId', await vcenter.session(ctx)),
    ...wanted.map((privilege) => tag('privId', privilege)),
  ];
  const doing = `look at the privileges on ${object.path}`;
  const answer = await vcenter.call(ctx, doing, 'HasPrivilegeOnEntities', AUTHORIZATION, fields);
  const lacking = childrenOf(answer, 'privAvailability')
    .filter((each) => textIn(each, 'isGranted') !== 'true')
    .map((each) => textIn(each, 'privId'));
  if (lacking.length === 0) return [];
  return [
    {
      subject: `privileges ${object.path}`,
      severity: 'error',
      code: 'CLOUD_DENIED',
      message: `The user may not ${lacking.join(', ')} on ${object.path}`,
      hint: `Give the user a role with ${lacking.length === 1 ? 'it' : 'them'} there`,
    },
  ];
}
