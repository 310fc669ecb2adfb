import { AtollError } from '../../core/errors.ts';
import { userData } from '../ignition/user-data.ts';
import { sortedUnique } from '../order.ts';
import { egressRules, ingressRules } from './bastion-access.ts';
import type { BastionStackInput, Disk } from './bastion-input.ts';
import { checkSite, tagsOf } from './tags.ts';
import {
  getAtt,
  hole,
  ref,
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
  const known = (value: string | undefined) => (value === undefined ? {} : { Default: value });
  return {
    VpcId: {
      Type: 'AWS::EC2::VPC::Id',
      Description: 'VPC of the site',
      ...known(input.vpcId),
    },
    SubnetId: {
      Type: 'AWS::EC2::Subnet::Id',
      Description: 'Subnet of the bastion: a public one, unless it has no address outside',
      ...known(input.subnetId),
    },
    AmiId: {
      Type: 'AWS::EC2::Image::Id',
      Description: 'Image of the bastion',
      ...known(input.amiId),
    },
  };
}

const securityGroup = (input: BastionStackInput): TemplateResource => ({
  Type: 'AWS::EC2::SecurityGroup',
  Properties: {
    GroupDescription: `Bastion of the site ${input.site}`,
    VpcId: ref('VpcId'),
    SecurityGroupIngress: ingressRules(input.access),
    SecurityGroupEgress: egressRules(input.access),
    Tags: tagsOf(input, 'bastion'),
  },
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
      LaunchTemplate: {
        Type: 'AWS::EC2::LaunchTemplate',
        Properties: {
          LaunchTemplateData: { MetadataOptions: metadata },
          TagSpecifications: [launch],
        },
      },
      Bastion: instance(input, hasRole),
    },
    outputs: {
      InstanceId: { Description: 'The machine', Value: ref('Bastion') },
      PrivateIp: { Description: 'Its address inside', Value: getAtt('Bastion', 'PrivateIp') },
      SecurityGroupId: { Description: 'Its security group', Value: ref('SecurityGroup') },
    },
  };
}

function instance(input: BastionStackInput, hasRole: boolean): TemplateResource {
  const { ignition, keyName } = input;
  const version = getAtt('LaunchTemplate', 'LatestVersionNumber');
  return {
    Type: 'AWS::EC2::Instance',
    Properties: {
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
    },
  };
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
      Address: {
        Type: 'AWS::EC2::EIP',
        Properties: { Domain: 'vpc', InstanceId: ref('Bastion'), Tags: tagsOf(input, 'bastion') },
      },
    },
    outputs: { PublicIp: { Description: 'Its address outside', Value: ref('Address') } },
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
      MirrorZone: {
        Type: 'AWS::Route53::HostedZone',
        Properties: { Name: name, VPCs: vpcs, HostedZoneTags: tagsOf(input, 'mirror') },
      },
      MirrorRecord: {
        Type: 'AWS::Route53::RecordSet',
        Properties: {
          HostedZoneId: ref('MirrorZone'),
          Name: name,
          Type: 'A',
          TTL: '60',
          ResourceRecords: [getAtt('Bastion', 'PrivateIp')],
        },
      },
    },
    outputs: { MirrorName: { Description: 'Its name inside', Value: name } },
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
      InstanceProfile: {
        Type: 'AWS::IAM::InstanceProfile',
        Properties: { Roles: [ref('Role')] },
      },
    },
  };
}

function role(input: BastionStackInput, objects: readonly Value[]): TemplateResource {
  return {
    Type: 'AWS::IAM::Role',
    Properties: {
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
    },
  };
}

const policy = (statement: Value): Value => ({ Version: '2012-10-17', Statement: [statement] });

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
