import { sortedUnique } from '../order.ts';
import type { BastionStackInput } from './bastion-input.ts';
import { objectArn } from './s3-object.ts';
import { tagsOf } from './tags.ts';
import {
  hole,
  ref,
  sub,
  type TemplatePart,
  type TemplateResource,
  type Value,
} from './template.ts';

/** The role of a bastion: it reads the objects it boots from, one by one. None, no role. */
export function rolePart(input: BastionStackInput): TemplatePart | undefined {
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
