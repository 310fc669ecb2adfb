import type { BastionStackInput } from '../../src/generate/cloudformation/bastion-input.ts';
import type { NetworkInput } from '../../src/generate/cloudformation/network-input.ts';
import { readCredentialsRequests } from '../../src/generate/credentials/credentials-request.ts';
import { verificationHash } from '../../src/generate/ignition/user-data.ts';

/** Requests as a release has them: two for every cluster, some that depend on what it is. */
export const REQUESTS_YAML = `---
apiVersion: cloudcredential.openshift.io/v1
kind: CredentialsRequest
metadata:
  name: openshift-machine-api-aws
  namespace: openshift-cloud-credential-operator
  annotations:
    capability.openshift.io/name: MachineAPI
    include.release.openshift.io/self-managed-high-availability: "true"
spec:
  secretRef: { name: aws-cloud-credentials, namespace: openshift-machine-api }
  providerSpec:
    apiVersion: cloudcredential.openshift.io/v1
    kind: AWSProviderSpec
    statementEntries:
    - effect: Allow
      action: ["ec2:RunInstances", "ec2:DescribeImages", "ec2:CreateTags", "iam:PassRole"]
      resource: "*"
    - effect: Allow
      action: ["kms:CreateGrant"]
      resource: "*"
      policyCondition: { Bool: { "kms:GrantIsForAWSResource": true } }
---
apiVersion: cloudcredential.openshift.io/v1
kind: CredentialsRequest
metadata:
  name: openshift-ingress
  namespace: openshift-cloud-credential-operator
  annotations:
    include.release.openshift.io/self-managed-high-availability: "true"
spec:
  secretRef: { name: cloud-credentials, namespace: openshift-ingress-operator }
  providerSpec:
    apiVersion: cloudcredential.openshift.io/v1
    kind: AWSProviderSpec
    statementEntries:
    - effect: Allow
      action: ["route53:ChangeResourceRecordSets", "elasticloadbalancing:DescribeLoadBalancers"]
      resource: "*"
`;

export const REQUESTS = readCredentialsRequests(REQUESTS_YAML, 'requests.yaml');

/** Every member of a product of choices. */
function product<T extends object>(choices: { readonly [K in keyof T]: readonly T[K][] }): T[] {
  const keys = Object.keys(choices) as (keyof T)[];
  return keys.reduce<T[]>(
    (made, key) => made.flatMap((one) => choices[key].map((value) => ({ ...one, [key]: value }))),
    [{} as T],
  );
}

const NEW_NETWORKS = product<Partial<NetworkInput>>({
  mode: ['disconnected', 'private'],
  zones: [1, 2, 3, ['us-east-1a', 'us-east-1b', 'us-east-1c']],
  publicSubnets: [true, false],
  nat: [undefined, 'none', 'single'],
  endpoints: [undefined, [], ['ec2', 'sts', 'ecr.api', 'com.amazonaws.us-east-1.kms']],
  zoneName: [undefined, 'site.example.com'],
  dualStack: [undefined, true],
}).filter(
  ({ mode, nat, publicSubnets }) => nat !== 'single' || (mode === 'private' && publicSubnets),
);

const EXISTING_NETWORKS = product<Partial<NetworkInput>>({
  mode: ['disconnected', 'private'],
  s3: [true, false],
  endpoints: [undefined, []],
  zoneName: [undefined, 'site.example.com'],
  bucket: [true, false],
}).map((input) => ({
  ...input,
  existing: {
    vpcId: 'vpc-0123456789abcdef0',
    subnetIds: ['subnet-0123456789abcdef0', 'subnet-0123456789abcdef1'],
    routeTableIds: ['rtb-0123456789abcdef0'],
  },
}));

/** Every network a site can ask for. A stack without anything in it is none. */
export const NETWORKS: readonly NetworkInput[] = [
  ...NEW_NETWORKS,
  ...EXISTING_NETWORKS,
  { region: 'cn-north-1' },
]
  .filter(({ existing, s3, zoneName, bucket, endpoints, mode }) => {
    const hasEndpoints = endpoints ? endpoints.length > 0 : mode === 'disconnected';
    return !existing || s3 || bucket || zoneName || hasEndpoints;
  })
  .map((input) => ({ site: 'lab', mode: 'disconnected', tags: { team: 'platform' }, ...input }));

export const IGNITION = {
  source: 's3://lab-ignition/lab/bastion.ign',
  hash: verificationHash('{}'),
};

interface BastionChoices {
  readonly registry: number | undefined;
  readonly caches: readonly number[];
  readonly proxy: readonly number[];
  readonly boot: Pick<BastionStackInput, 'ignition' | 'objects' | 'keyName' | 'amiId'>;
  readonly outside: Pick<BastionStackInput, 'elasticIp' | 'mirrorName' | 'vpcId' | 'subnetId'>;
  readonly dataDisk: BastionStackInput['dataDisk'];
}

/** Every bastion a site can ask for. */
export const BASTIONS: readonly BastionStackInput[] = product<BastionChoices>({
  registry: [undefined, 5000],
  caches: [[], [6001, 6002]],
  proxy: [[], [3128, 3129]],
  boot: [
    { ignition: IGNITION },
    { ignition: IGNITION, objects: ['s3://lab-ignition/atoll'] },
    { ignition: { source: 'https://files.example/bastion.ign', hash: IGNITION.hash } },
    { amiId: 'ami-0123456789abcdef0', keyName: 'operators' },
  ],
  outside: [
    {},
    { mirrorName: 'mirror.example.com' },
    { elasticIp: false, vpcId: 'vpc-0123456789abcdef0', subnetId: 'subnet-0123456789abcdef0' },
  ],
  dataDisk: [undefined, {}, { sizeGiB: 1000, keep: true }],
}).map(({ registry, caches, proxy, boot, outside, dataDisk }) => ({
  site: 'lab',
  tags: { team: 'platform' },
  access: {
    operators: ['203.0.113.7/32', '2001:db8::/48'],
    clients: ['10.0.0.0/16'],
    ...{ registry, caches, proxy },
  },
  ...{ ...boot, ...outside, dataDisk },
}));
