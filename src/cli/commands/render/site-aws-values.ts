import { awsSettings } from '../../../platform/aws/aws-platform.ts';
import type { Site } from '../../../site/read-site.ts';

type Values = Readonly<Record<string, string | readonly string[] | number | undefined>>;

/** What a site says about its stacks on AWS. */
export const AWS_VALUES: Readonly<Record<string, (facts: { readonly site: Site }) => Values>> = {
  'cloudformation network': ({ site }) => networkValues(site),
  'cloudformation bastion': ({ site }) => bastionValues(site),
  'cloudformation credentials': ({ site }) => credentialsValues(site),
  'credentials policies': ({ site }) => credentialsValues(site),
  'aws-platform': ({ site }) => ({ region: awsSettings(site.platform).region }),
};

function networkValues(site: Site): Values {
  const { cluster } = site;
  const platform = awsSettings(site.platform);
  return {
    name: site.name,
    mode: site.mode,
    region: platform.region,
    cidr: rangeOf(site),
    zone: platform.zones,
    clusterDomain: platform.hostedZone ? undefined : `${cluster.name}.${cluster.baseDomain}`,
    vpc: platform.vpc,
    subnet: platform.subnets,
  };
}

function bastionValues(site: Site): Values {
  const { bastion, registry, proxy } = site;
  const isOurs = registry.type === 'embedded';
  return {
    name: site.name,
    allowFrom: bastion.allowFrom,
    client: [rangeOf(site)],
    registryPort: isOurs ? registry.port : undefined,
    proxyPort: proxy.enabled ? [String(proxy.port)] : [],
    vpc: awsSettings(site.platform).vpc,
    ami: bastion.ami,
    mirrorName: isOurs && isName(registry.host) ? registry.host : undefined,
  };
}

const credentialsValues = ({ name, cluster }: Site): Values => ({
  name,
  disabledCapability: cluster.disabledCapabilities,
});

const rangeOf = ({ platform, cluster }: Site) =>
  awsSettings(platform).cidr ?? cluster.machineNetwork;

/** An address needs no name. */
const isName = (host: string | undefined) => host !== undefined && /\.[a-z]/i.test(host);
