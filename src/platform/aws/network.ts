import { join } from 'node:path';
import type { Context } from '../../core/context.ts';
import { AtollError } from '../../core/errors.ts';
import { readTextIfPresent, writeFileAtomic } from '../../core/files.ts';
import { networkTemplate } from '../../generate/cloudformation/network.ts';
import type { NetworkInput } from '../../generate/cloudformation/network-input.ts';
import type { StackOutputs } from '../../generate/cloudformation/stack-outputs.ts';
import { formatTemplate, type Template } from '../../generate/cloudformation/template.ts';
import { type Claim, MADE_FILE, type PlatformSite } from '../platform.ts';
import type { Aws } from './client/aws.ts';
import { type FoundNetwork, findNetwork, outputsOf } from './existing-network.ts';
import { parseMade } from './made-network.ts';
import type { AwsSettings } from './settings.ts';
import { networkInput } from './stack-inputs.ts';
import { applyStack } from './stacks/apply-stack.ts';
import { joinZone } from './zone-association.ts';

export type AwsSite = PlatformSite<AwsSettings>;

/** Names of the stacks of a site. */
export const stackName = (site: string, part: 'network' | 'bastion' | 'credentials') =>
  `atoll-${site}-${part}`;

/** How the inventory knows something of a region. */
export const regional = (region: string, name: string) => `${region}/${name}`;

/** Makes the network, or what an existing one lacks, and keeps for later stages what it is. */
export async function makeNetwork(
  ctx: Context,
  aws: Aws,
  site: AwsSite,
  claim: Claim,
): Promise<StackOutputs> {
  const { vpc, subnets = [], hostedZone } = site.settings;
  const found = vpc ? await findNetwork(ctx, aws, { site: site.name, vpc, subnets }) : undefined;
  const template = networkTemplate(inputOf(site, found));
  const made =
    Object.keys(template.Resources).length > 0
      ? await claimedStack(ctx, aws, site, claim, template)
      : {};
  const outputs: StackOutputs = {
    ...made,
    ...(found ? outputsOf(found) : {}),
    ...(hostedZone ? { HostedZoneId: hostedZone } : {}),
  };
  if (hostedZone) await joinZone(ctx, aws, { zone: hostedZone, vpc: outputs.VpcId ?? '' }, claim);
  await writeFileAtomic(join(site.paths.state, MADE_FILE), `${JSON.stringify(outputs, null, 2)}\n`);
  return outputs;
}

async function claimedStack(
  ctx: Context,
  aws: Aws,
  site: AwsSite,
  claim: Claim,
  template: Template,
): Promise<StackOutputs> {
  const name = stackName(site.name, 'network');
  await claim({
    kind: 'cloudformation-stack',
    id: regional(aws.region, name),
    temporary: false,
  });
  const known = Object.entries(template.Parameters ?? {});
  const parameters = Object.fromEntries(known.map(([key, { Default = '' }]) => [key, Default]));
  const text = formatTemplate(template);
  return await applyStack(ctx, aws, { name, site: site.name, template: text, parameters });
}

function inputOf(site: AwsSite, found: FoundNetwork | undefined): NetworkInput {
  const wanted = { ...networkInput(site), bucket: site.bastion.address === undefined };
  if (!found || !wanted.existing) return wanted;
  const { routeTableIds, cidr, services } = found;
  return {
    ...wanted,
    cidr,
    endpoints: (wanted.endpoints ?? []).filter((name) => !services.includes(name)),
    s3: !services.includes('s3'),
    existing: { ...wanted.existing, routeTableIds },
  };
}

/** What an earlier stage has made. */
export async function madeNetwork(site: AwsSite): Promise<StackOutputs> {
  const path = join(site.paths.state, MADE_FILE);
  const text = await readTextIfPresent(path);
  if (text !== undefined) return parseMade(text, path);
  throw new AtollError('INPUT_INVALID', 'Cannot go on: the network of the site is not made yet', {
    hint: 'Run the stage before: atoll up --only infrastructure',
  });
}
