import type { PolicyDocument, PolicyStatement } from './iam-policy.ts';

// What whoever runs atoll and the installer needs of an account, and no more. Actions that only look have no resource of
// their own; what is made is bounded by name where IAM can do that before the thing exists.

/** What atoll looks at before it makes anything, and when it proves that nothing is left. */
const LOOK = [
  'cloudformation:DescribeStacks',
  'ec2:DescribeAddresses',
  'ec2:DescribeAvailabilityZones',
  'ec2:DescribeImages',
  'ec2:DescribeInstanceTypeOfferings',
  'ec2:DescribeInstances',
  'ec2:DescribeInternetGateways',
  'ec2:DescribeLaunchTemplates',
  'ec2:DescribeNatGateways',
  'ec2:DescribeRouteTables',
  'ec2:DescribeSecurityGroups',
  'ec2:DescribeSubnets',
  'ec2:DescribeVolumes',
  'ec2:DescribeVpcAttribute',
  'ec2:DescribeVpcEndpoints',
  'ec2:DescribeVpcs',
  'ec2:GetConsoleOutput',
  'elasticloadbalancing:DescribeLoadBalancers',
  'elasticloadbalancing:DescribeTags',
  'route53:GetHostedZone',
  'servicequotas:GetServiceQuota',
  'sts:GetCallerIdentity',
  'tag:GetResources',
];

const STACKS = [
  'cloudformation:CreateChangeSet',
  'cloudformation:DeleteChangeSet',
  'cloudformation:DeleteStack',
  'cloudformation:DescribeChangeSet',
  'cloudformation:DescribeStackEvents',
  'cloudformation:ExecuteChangeSet',
  'cloudformation:TagResource',
];

/** What CloudFormation does in the name of the caller to make network and bastion. */
const NETWORK = [
  'ec2:AllocateAddress',
  'ec2:AssociateAddress',
  'ec2:AssociateRouteTable',
  'ec2:AssociateVpcCidrBlock',
  'ec2:AttachInternetGateway',
  'ec2:AuthorizeSecurityGroupEgress',
  'ec2:AuthorizeSecurityGroupIngress',
  'ec2:CreateEgressOnlyInternetGateway',
  'ec2:CreateInternetGateway',
  'ec2:CreateLaunchTemplate',
  'ec2:CreateNatGateway',
  'ec2:CreateRoute',
  'ec2:CreateRouteTable',
  'ec2:CreateSecurityGroup',
  'ec2:CreateSubnet',
  'ec2:CreateTags',
  'ec2:CreateVpc',
  'ec2:CreateVpcEndpoint',
  'ec2:DeleteEgressOnlyInternetGateway',
  'ec2:DeleteInternetGateway',
  'ec2:DeleteLaunchTemplate',
  'ec2:DeleteNatGateway',
  'ec2:DeleteRoute',
  'ec2:DeleteRouteTable',
  'ec2:DeleteSecurityGroup',
  'ec2:DeleteSubnet',
  'ec2:DeleteVpc',
  'ec2:DeleteVpcEndpoints',
  'ec2:DescribeEgressOnlyInternetGateways',
  'ec2:DescribeInstanceAttribute',
  'ec2:DescribeInstanceStatus',
  'ec2:DescribeLaunchTemplateVersions',
  'ec2:DescribePrefixLists',
  'ec2:DescribeTags',
  'ec2:DescribeVpcEndpointServices',
  'ec2:DetachInternetGateway',
  'ec2:DisassociateAddress',
  'ec2:DisassociateRouteTable',
  'ec2:DisassociateVpcCidrBlock',
  'ec2:ModifySubnetAttribute',
  'ec2:ModifyVpcAttribute',
  'ec2:ModifyVpcEndpoint',
  'ec2:ReleaseAddress',
  'ec2:RevokeSecurityGroupEgress',
  'ec2:RevokeSecurityGroupIngress',
  'ec2:RunInstances',
  'ec2:TerminateInstances',
];

const ZONES = [
  'route53:AssociateVPCWithHostedZone',
  'route53:ChangeResourceRecordSets',
  'route53:ChangeTagsForResource',
  'route53:CreateHostedZone',
  'route53:DeleteHostedZone',
  'route53:DisassociateVPCFromHostedZone',
  'route53:GetChange',
  'route53:ListHostedZonesByVPC',
  'route53:ListResourceRecordSets',
  'route53:ListTagsForResource',
];

const BUCKET = [
  's3:CreateBucket',
  's3:DeleteBucket',
  's3:DeleteBucketPolicy',
  's3:DeleteObject',
  's3:DeleteObjectVersion',
  's3:GetBucketPolicy',
  's3:ListBucketVersions',
  's3:PutBucketOwnershipControls',
  's3:PutBucketPolicy',
  's3:PutBucketPublicAccessBlock',
  's3:PutBucketTagging',
  's3:PutEncryptionConfiguration',
  's3:PutObject',
];

const USERS = [
  'iam:AddRoleToInstanceProfile',
  'iam:AttachUserPolicy',
  'iam:CreateAccessKey',
  'iam:CreateInstanceProfile',
  'iam:CreatePolicy',
  'iam:CreateRole',
  'iam:CreateUser',
  'iam:DeleteAccessKey',
  'iam:DeleteInstanceProfile',
  'iam:DeletePolicy',
  'iam:DeleteRole',
  'iam:DeleteRolePolicy',
  'iam:DeleteUser',
  'iam:DetachUserPolicy',
  'iam:GetInstanceProfile',
  'iam:GetPolicy',
  'iam:GetRole',
  'iam:GetRolePolicy',
  'iam:GetUser',
  'iam:ListAccessKeys',
  'iam:ListPolicyVersions',
  'iam:PassRole',
  'iam:PutRolePolicy',
  'iam:RemoveRoleFromInstanceProfile',
  'iam:TagRole',
  'iam:TagUser',
];

const allow = (Action: readonly string[], Resource: string | readonly string[]) => ({
  Effect: 'Allow' as const,
  Action: Action.toSorted(),
  Resource,
});

const document = (...statements: readonly ReturnType<typeof allow>[]): AwsPolicy => ({
  Version: '2012-10-17',
  Statement: statements,
});

/** A policy whose statements may name several resources. */
export interface AwsPolicy extends Pick<PolicyDocument, 'Version'> {
  readonly Statement: readonly (Omit<PolicyStatement, 'Resource'> & {
    readonly Resource: string | readonly string[];
  })[];
}

/** What whoever runs `atoll up` and `atoll down` for a site needs, without the installer. */
export function sitePolicy(site: string, partition = 'aws'): AwsPolicy {
  const arn = (rest: string) => `arn:${partition}:${rest}`;
  return document(
    allow(LOOK, '*'),
    allow(STACKS, arn(`cloudformation:*:*:stack/atoll-${site}-*`)),
    allow([...NETWORK, ...ZONES], '*'),
    allow(BUCKET, [
      arn(`s3:::atoll-${site}-network-*`),
      arn(`s3:::atoll-${site}-network-*/${site}/*`),
    ]),
    allow(USERS, [
      arn('iam::*:user/atoll/*'),
      arn('iam::*:policy/atoll/*'),
      arn(`iam::*:role/atoll-${site}-bastion-*`),
      arn(`iam::*:instance-profile/atoll-${site}-bastion-*`),
    ]),
  );
}

/** Machines, balancers and groups of a cluster in subnets that are there: what the installer asks of EC2. */
const INSTALL_EC2 = [
  'ec2:AttachNetworkInterface',
  'ec2:AuthorizeSecurityGroupEgress',
  'ec2:AuthorizeSecurityGroupIngress',
  'ec2:CopyImage',
  'ec2:CreateNetworkInterface',
  'ec2:CreateSecurityGroup',
  'ec2:CreateTags',
  'ec2:CreateVolume',
  'ec2:DeleteNetworkInterface',
  'ec2:DeleteSecurityGroup',
  'ec2:DeleteSnapshot',
  'ec2:DeleteTags',
  'ec2:DeleteVolume',
  'ec2:DeregisterImage',
  'ec2:DescribeAccountAttributes',
  'ec2:DescribeAddresses',
  'ec2:DescribeAvailabilityZones',
  'ec2:DescribeDhcpOptions',
  'ec2:DescribeImages',
  'ec2:DescribeInstanceAttribute',
  'ec2:DescribeInstanceCreditSpecifications',
  'ec2:DescribeInstanceTypeOfferings',
  'ec2:DescribeInstanceTypes',
  'ec2:DescribeInstances',
  'ec2:DescribeInternetGateways',
  'ec2:DescribeKeyPairs',
  'ec2:DescribeNatGateways',
  'ec2:DescribeNetworkAcls',
  'ec2:DescribeNetworkInterfaces',
  'ec2:DescribePrefixLists',
  'ec2:DescribePublicIpv4Pools',
  'ec2:DescribeRegions',
  'ec2:DescribeRouteTables',
  'ec2:DescribeSecurityGroupRules',
  'ec2:DescribeSecurityGroups',
  'ec2:DescribeSubnets',
  'ec2:DescribeTags',
  'ec2:DescribeVolumes',
  'ec2:DescribeVpcAttribute',
  'ec2:DescribeVpcClassicLink',
  'ec2:DescribeVpcClassicLinkDnsSupport',
  'ec2:DescribeVpcEndpoints',
  'ec2:DescribeVpcs',
  'ec2:GetEbsDefaultKmsKeyId',
  'ec2:ModifyInstanceAttribute',
  'ec2:ModifyNetworkInterfaceAttribute',
  'ec2:RevokeSecurityGroupEgress',
  'ec2:RevokeSecurityGroupIngress',
  'ec2:RunInstances',
  'ec2:TerminateInstances',
];

const INSTALL_BALANCERS = [
  'AddTags',
  'ApplySecurityGroupsToLoadBalancer',
  'AttachLoadBalancerToSubnets',
  'ConfigureHealthCheck',
  'CreateListener',
  'CreateLoadBalancer',
  'CreateLoadBalancerListeners',
  'CreateTargetGroup',
  'DeleteLoadBalancer',
  'DeleteTargetGroup',
  'DeregisterInstancesFromLoadBalancer',
  'DeregisterTargets',
  'DescribeInstanceHealth',
  'DescribeListeners',
  'DescribeLoadBalancerAttributes',
  'DescribeLoadBalancers',
  'DescribeTags',
  'DescribeTargetGroupAttributes',
  'DescribeTargetHealth',
  'ModifyLoadBalancerAttributes',
  'ModifyTargetGroup',
  'ModifyTargetGroupAttributes',
  'RegisterInstancesWithLoadBalancer',
  'RegisterTargets',
  'SetLoadBalancerPoliciesOfListener',
  'SetSecurityGroups',
].map((action) => `elasticloadbalancing:${action}`);

const INSTALL_IAM = [
  'AddRoleToInstanceProfile',
  'CreateInstanceProfile',
  'CreateRole',
  'DeleteInstanceProfile',
  'DeleteRole',
  'DeleteRolePolicy',
  'GetInstanceProfile',
  'GetRole',
  'GetRolePolicy',
  'GetUser',
  'ListAttachedRolePolicies',
  'ListInstanceProfiles',
  'ListInstanceProfilesForRole',
  'ListRolePolicies',
  'ListRoles',
  'ListUsers',
  'PassRole',
  'PutRolePolicy',
  'RemoveRoleFromInstanceProfile',
  'SimulatePrincipalPolicy',
  'TagInstanceProfile',
  'TagRole',
].map((action) => `iam:${action}`);

const INSTALL_NAMES = [
  'ChangeResourceRecordSets',
  'ChangeTagsForResource',
  'GetChange',
  'GetHostedZone',
  'ListHostedZones',
  'ListHostedZonesByName',
  'ListResourceRecordSets',
  'ListTagsForResource',
  'UpdateHostedZoneComment',
].map((action) => `route53:${action}`);

/** The bucket of the bootstrap Ignition, and in manual mode nothing of an image registry. */
const INSTALL_BUCKETS = [
  'CreateBucket',
  'DeleteBucket',
  'DeleteObject',
  'GetAccelerateConfiguration',
  'GetBucketAcl',
  'GetBucketCors',
  'GetBucketLocation',
  'GetBucketLogging',
  'GetBucketObjectLockConfiguration',
  'GetBucketPolicy',
  'GetBucketRequestPayment',
  'GetBucketTagging',
  'GetBucketVersioning',
  'GetBucketWebsite',
  'GetEncryptionConfiguration',
  'GetLifecycleConfiguration',
  'GetObject',
  'GetObjectAcl',
  'GetObjectTagging',
  'GetObjectVersion',
  'GetReplicationConfiguration',
  'ListBucket',
  'ListBucketVersions',
  'PutBucketAcl',
  'PutBucketPolicy',
  'PutBucketTagging',
  'PutEncryptionConfiguration',
  'PutObject',
  'PutObjectAcl',
  'PutObjectTagging',
].map((action) => `s3:${action}`);

/** What `openshift-install` needs to make and destroy a private cluster in subnets that are there. */
export function installerPolicy(): AwsPolicy {
  const others = [
    'servicequotas:ListAWSDefaultServiceQuotas',
    'sts:GetCallerIdentity',
    'tag:GetResources',
  ];
  return document(
    allow(INSTALL_EC2, '*'),
    allow(INSTALL_BALANCERS, '*'),
    allow(INSTALL_IAM, '*'),
    allow(INSTALL_NAMES, '*'),
    allow(INSTALL_BUCKETS, '*'),
    allow([...others, 'tag:UntagResources'], '*'),
  );
}
