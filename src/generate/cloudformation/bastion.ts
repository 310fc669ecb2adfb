import { AtollError } from '../../core/errors.ts';
import { sortedUnique } from '../../core/order.ts';
import { userData } from '../ignition/user-data.ts';
import { egressRules, ingressRules } from './bastion-access.ts';
import type { BastionStackInput, Disk } from './bastion-input.ts';
import { checkSite, tagsOf } from './tags.ts';
import {
  getAtt,
  hole,
  output,
  parameter,
  policy,
  ref,
  resource,
  sub,
  type Template,
  type TemplateParameter,
  type TemplatePart,
  type TemplateResource,
  templateFrom,
  type Value,
} from './template.ts';

export const DEFAULT_INSTANCE_TYPE = 'm6i.large';
const ROOT_DISK: Disk = { sizeGiB: 100, device: '/dev/xvda' };
const DATA_DISK: Disk = { sizeGiB: 500, device: '/dev/xvdf' };
const HOST = /^(?=.{1,253}$)[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)+$/;

/** The bastion of a site: machine, disks, address, role, security group and name. */
export function bastionTemplate(input: BastionStackInput): Template {
  checkSite(input);
  const role = rolePart(input);
  return templateFrom(`Bastion of the site ${input.site}`, [
    { parameters: parameters(input) },
    ...(role ? [role] : []),
    { resources: { SecurityGroup: securityGroup(input) } },
    machinePart(input, role !== undefined),
    ...(input.elasticIp === false ? [] : [addressPart(input)]),
    ...(input.mirrorName === undefined ? [] : [namePart(input, input.mirrorName)]),
  ]);
}

function parameters(input: BastionStackInput): Record<string, TemplateParameter> {
  return {
    VpcId: parameter('AWS::EC2::VPC::Id', 'VPC of the site', input.vpcId),
    SubnetId: parameter(
      'AWS::EC2::Subnet::Id',
      'Subnet of the bastion: a public one, unless it has no address outside',
      input.subnetId,
    ),
    AmiId: parameter('AWS::EC2::Image::Id', 'Image of the bastion', input.amiId),
  };
}

const securityGroup = (input: BastionStackInput): TemplateResource =>
  resource('AWS::EC2::SecurityGroup', {
    GroupDescription: `Bastion of the site ${input.site}`,
    VpcId: ref('VpcId'),
    SecurityGroupIngress: ingressRules(input.access),
    SecurityGroupEgress: egressRules(input.access),
    Tags: tagsOf(input, 'bastion'),
  });

/** The launch template is there for one thing: instance metadata only with a session token. */
function machinePart(input: BastionStackInput, hasRole: boolean): TemplatePart {
  const metadata: Value = {
    HttpEndpoint: 'enabled',
    HttpTokens: 'required',
    HttpPutResponseHopLimit: 1,
  };
  const launch = {
    ResourceType: 'launch-template',
    Tags: tagsOf(input, 'bastion'),
  };
  return {
    resources: {
      LaunchTemplate: resource('AWS::EC2::LaunchTemplate', {
        LaunchTemplateData: { MetadataOptions: metadata },
        TagSpecifications: [launch],
      }),
      Bastion: instance(input, hasRole),
    },
    outputs: {
      InstanceId: output('The machine', ref('Bastion')),
      PrivateIp: output('Its address inside', getAtt('Bastion', 'PrivateIp')),
      SecurityGroupId: output('Its security group', ref('SecurityGroup')),
    },
  };
}

function instance(input: BastionStackInput, hasRole: boolean): TemplateResource {
  const { ignition, keyName } = input;
  const version = getAtt('LaunchTemplate', 'LatestVersionNumber');
  return resource('AWS::EC2::Instance', {
    ImageId: ref('AmiId'),
    InstanceType: input.instanceType ?? DEFAULT_INSTANCE_TYPE,
    LaunchTemplate: { LaunchTemplateId: ref('LaunchTemplate'), Version: version },
    SubnetId: ref('SubnetId'),
    SecurityGroupIds: [ref('SecurityGroup')],
    ...(hasRole ? { IamInstanceProfile: ref('InstanceProfile') } : {}),
    ...(keyName === undefined ? {} : { KeyName: keyName }),
    ...(ignition ? { UserData: { 'Fn::Base64': userData(ignition) } } : {}),
    BlockDeviceMappings: disks(input),
    PropagateTagsToVolumeOnCreation: true,
    Tags: tagsOf(input, 'bastion'),
  });
}

/** Attached from the first moment, because Ignition looks for the data disk at once. */
function disks({ rootDisk, dataDisk }: BastionStackInput): Value {
  return [
    mapping({ ...ROOT_DISK, ...rootDisk }, true),
    ...(dataDisk ? [mapping({ ...DATA_DISK, ...dataDisk }, !dataDisk.keep)] : []),
  ];
}

function mapping({ sizeGiB, device }: Disk, deleted: boolean): Value {
  if (!Number.isInteger(sizeGiB) || sizeGiB < 10 || sizeGiB > 16_384) {
    throw new AtollError('INPUT_INVALID', `Cannot make a disk of ${sizeGiB} GiB`, {
      hint: 'Use 10 to 16384',
    });
  }
  return {
    DeviceName: device,
    Ebs: {
      VolumeType: 'gp3',
      VolumeSize: sizeGiB,
      Encrypted: true,
      DeleteOnTermination: deleted,
    },
  };
}

function addressPart(input: BastionStackInput): TemplatePart {
  return {
    resources: {
      Address: resource('AWS::EC2::EIP', {
        Domain: 'vpc',
        InstanceId: ref('Bastion'),
        Tags: tagsOf(input, 'bastion'),
      }),
    },
    outputs: { PublicIp: output('Its address outside', ref('Address')) },
  };
}

/** A zone for this one name alone, so that it can lie below any domain and hides nothing else. */
function namePart(input: BastionStackInput, name: string): TemplatePart {
  if (!HOST.test(name)) {
    throw new AtollError('INPUT_INVALID', `Cannot name the mirror "${name}"`, {
      hint: 'Write a host name below a domain, such as mirror.example.com',
    });
  }
  const vpcs: Value = [{ VPCId: ref('VpcId'), VPCRegion: ref('AWS::Region') }];
  return {
    resources: {
      MirrorZone: resource('AWS::Route53::HostedZone', {
        Name: name,
        VPCs: vpcs,
        HostedZoneTags: tagsOf(input, 'mirror'),
      }),
      MirrorRecord: resource('AWS::Route53::RecordSet', {
        HostedZoneId: ref('MirrorZone'),
        Name: name,
        Type: 'A',
        TTL: '60',
        ResourceRecords: [getAtt('Bastion', 'PrivateIp')],
      }),
    },
    outputs: { MirrorName: output('Its name inside', name) },
  };
}

/** The role of a bastion: it reads the objects it boots from, one by one. None, no role. */
function rolePart(input: BastionStackInput): TemplatePart | undefined {
  const objects = sortedUnique([
    ...(input.ignition?.source.startsWith('s3://') ? [input.ignition.source] : []),
    ...(input.objects ?? []),
  ]);
  if (objects.length === 0) return undefined;
  return {
    resources: {
      Role: role(input, objects.map(objectArn)),
      InstanceProfile: resource('AWS::IAM::InstanceProfile', { Roles: [ref('Role')] }),
    },
  };
}

function role(input: BastionStackInput, objects: readonly Value[]): TemplateResource {
  return resource('AWS::IAM::Role', {
    AssumeRolePolicyDocument: policy({
      Effect: 'Allow',
      Principal: { Service: sub(`ec2.${hole('AWS::URLSuffix')}`) },
      Action: 'sts:AssumeRole',
    }),
    Policies: [
      {
        PolicyName: 'read-ignition',
        PolicyDocument: policy({
          Effect: 'Allow',
          Action: 's3:GetObject',
          Resource: objects,
        }),
      },
    ],
    Tags: tagsOf(input, 'bastion'),
  });
}

const SOURCE =
  /^s3:\/\/(?<bucket>[a-z0-9][a-z0-9.-]{1,61}[a-z0-9])\/(?<key>[A-Za-z0-9!_.'()/+=@,-]+)$/;

/**
 * The name of exactly one object in a policy. A star or question mark in a key would match others,
 * so it is refused.
 */
function objectArn(source: string): Value {
  const found = SOURCE.exec(source)?.groups as { bucket: string; key: string } | undefined;
  if (found) return sub(`arn:${hole('AWS::Partition')}:s3:::${found.bucket}/${found.key}`);
  throw new AtollError('INPUT_INVALID', `Cannot give access to exactly "${source}"`, {
    hint: 'Write s3://BUCKET/KEY with a key of letters, digits and _ . - /, and no version',
  });
}
