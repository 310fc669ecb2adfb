import * as z from 'zod';
import { AtollError } from '../../core/errors.ts';
import { parseJson } from '../../core/shape.ts';
import type { AwsFacts, AwsSubnetFacts } from '../install-config/platforms/aws/facts.ts';
import type { AwsInput } from '../install-config/platforms/aws/input.ts';

export const stackOutputsSchema = z.record(z.string(), z.string());
export type StackOutputs = Readonly<z.infer<typeof stackOutputsSchema>>;

const printed = z.looseObject({
  Stacks: z
    .array(
      z.looseObject({
        Outputs: z.array(z.looseObject({ OutputKey: z.string(), OutputValue: z.string() })),
      }),
    )
    .min(1),
});

/** The outputs in what `aws cloudformation describe-stacks` printed, of all stacks in it. */
export function readStackOutputs(text: string, file: string): StackOutputs {
  const parsed = printed.safeParse(parseJson(text));
  if (parsed.success) {
    const outputs = parsed.data.Stacks.flatMap(({ Outputs }) => Outputs);
    return Object.fromEntries(
      outputs.map(({ OutputKey, OutputValue }) => [OutputKey, OutputValue]),
    );
  }
  throw new AtollError('INPUT_INVALID', `Cannot read outputs of a stack from "${file}"`, {
    hint: 'Save what "aws cloudformation describe-stacks --stack-name NAME" prints',
    details: { file },
  });
}

/** What the network stack says an install-config needs: the subnets of the cluster and its zone. */
export function awsPlatform(outputs: StackOutputs, region: string): AwsInput {
  const { HostedZoneId: hostedZone } = outputs;
  return {
    type: 'aws',
    region,
    subnets: needed(outputs, 'PrivateSubnetIds').map((id) => ({ id })),
    zones: needed(outputs, 'Zones'),
    ...(hostedZone ? { hostedZone } : {}),
  };
}

/** The same stack as facts an install-config is checked against. */
export function awsFacts(outputs: StackOutputs): AwsFacts {
  const [vpcId = ''] = needed(outputs, 'VpcId');
  return {
    vpcId,
    subnets: [...subnets(outputs, vpcId, 'Private'), ...subnets(outputs, vpcId, 'Public')],
    ...(outputs.HostedZoneId ? { hostedZoneVpcIds: [vpcId] } : {}),
  };
}

function subnets(
  outputs: StackOutputs,
  vpcId: string,
  kind: 'Private' | 'Public',
): AwsSubnetFacts[] {
  const zones = needed(outputs, 'Zones');
  const isPublic = kind === 'Public';
  if (isPublic && outputs.PublicSubnetIds === undefined) return [];
  const ranges = needed(outputs, `${kind}SubnetCidrs`);
  return needed(outputs, `${kind}SubnetIds`).map((id, index) => ({
    id,
    vpcId,
    zone: zones[index] ?? '',
    cidr: ranges[index] ?? '',
    isPublic,
    ...(isPublic ? { tags: { 'kubernetes.io/cluster/unmanaged': 'true' } } : {}),
  }));
}

function needed(outputs: StackOutputs, key: string): string[] {
  const value = outputs[key];
  if (value) return value.split(',');
  throw new AtollError('INPUT_INVALID', `Cannot find the output ${key}`, {
    hint: 'Use the stack made from "atoll render cloudformation network", once it is complete',
  });
}
