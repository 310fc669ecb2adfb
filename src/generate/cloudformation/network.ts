import { bucketPart } from './network-bucket.ts';
import { endpointsPart } from './network-endpoints.ts';
import { type NetworkInput, planNetwork } from './network-input.ts';
import { existingPart, type Places } from './network-places.ts';
import { subnetsPart } from './network-subnets.ts';
import { tagsOf } from './tags.ts';
import { ref, type Template, type TemplatePart, templateFrom, type Value } from './template.ts';

/**
 * The network of a site: VPC, subnets, routes, endpoints, private DNS, and a bucket for Ignition.
 * From the private subnets of a disconnected site there is no way out at all.
 */
export function networkTemplate(input: NetworkInput): Template {
  const plan = planNetwork(input);
  const { part, places } = plan.existing ? existingPart(plan, plan.existing) : subnetsPart(plan);
  return templateFrom(`Network of the ${plan.mode} site ${plan.site}`, [
    part,
    endpointsPart(plan, places),
    ...(plan.zoneName ? [zonePart(input, plan.zoneName, places)] : []),
    ...(plan.bucket ? [bucketPart(plan)] : []),
  ]);
}

/** The zone the installer writes `api`, `api-int` and `*.apps` into. */
function zonePart(site: NetworkInput, name: string, { vpc }: Places): TemplatePart {
  const vpcs: Value = [{ VPCId: vpc, VPCRegion: ref('AWS::Region') }];
  return {
    resources: {
      HostedZone: {
        Type: 'AWS::Route53::HostedZone',
        Properties: { Name: name, VPCs: vpcs, HostedZoneTags: tagsOf(site, 'zone') },
      },
    },
    outputs: {
      HostedZoneId: { Description: `Private zone ${name}`, Value: ref('HostedZone') },
    },
  };
}
