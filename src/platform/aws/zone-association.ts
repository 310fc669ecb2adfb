import type { Context } from '../../core/context.ts';
import type { Claim } from '../platform.ts';
import { childrenOf, textOf, under } from '../shared/xml.ts';
import type { Aws } from './client/aws.ts';
import { awsNameOf } from './client/failure.ts';

export interface ZoneAndVpc {
  readonly zone: string;
  readonly vpc: string;
}

/** Lets a network ask a zone that somebody else made, unless it may already. */
export async function joinZone(
  ctx: Context,
  aws: Aws,
  { zone, vpc }: ZoneAndVpc,
  claim: Claim,
): Promise<void> {
  const answer = await aws.rest(ctx, 'route53', {
    action: 'GetHostedZone',
    method: 'GET',
    path: `/2013-04-01/hostedzone/${zone}`,
  });
  const known = childrenOf(under(answer, 'VPCs'), 'VPC').map((each) => textOf(each, 'VPCId'));
  if (known.includes(vpc)) return;
  const id = `${aws.region}/${zone}/${vpc}`;
  await claim({ kind: 'route53-association', id, temporary: false });
  await change(ctx, aws, { zone, vpc }, 'Associate');
}

/** Takes the network out of the zone again; where it is not in it, nothing is to do. */
export async function leaveZone(ctx: Context, aws: Aws, place: ZoneAndVpc): Promise<void> {
  await change(ctx, aws, place, 'Disassociate').catch((error: unknown) => {
    const gone = [
      'VPCAssociationNotFound',
      'NoSuchHostedZone',
      'LastVPCAssociation',
      'InvalidVPCId',
    ];
    if (!gone.includes(awsNameOf(error) ?? '')) throw error;
  });
}

async function change(
  ctx: Context,
  aws: Aws,
  { zone, vpc }: ZoneAndVpc,
  what: 'Associate' | 'Disassociate',
): Promise<void> {
  const action =
    what === 'Associate' ? 'AssociateVPCWithHostedZone' : 'DisassociateVPCFromHostedZone';
  const end = what === 'Associate' ? 'associatevpc' : 'disassociatevpc';
  await aws.rest(ctx, 'route53', {
    action,
    method: 'POST',
    path: `/2013-04-01/hostedzone/${zone}/${end}`,
    headers: { 'content-type': 'application/xml' },
    body:
      `<?xml version="1.0" encoding="UTF-8"?><${action}Request xmlns="https://route53.amazonaws.com/doc/2013-04-01/">` +
      `<VPC><VPCRegion>${aws.region}</VPCRegion><VPCId>${vpc}</VPCId></VPC></${action}Request>`,
  });
}
