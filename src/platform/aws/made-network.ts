import { parseKept } from '../../core/kept-json.ts';
import {
  type StackOutputs,
  stackOutputsSchema,
} from '../../generate/cloudformation/stack-outputs.ts';
import { MADE_FILE } from '../platform.ts';

/** The outputs of the network, as the infrastructure stage kept them. */
export const parseMade = (text: string, path: string = MADE_FILE): StackOutputs =>
  parseKept(text, {
    path,
    schema: stackOutputsSchema,
    remake: 'atoll up --only infrastructure',
  });

/** Lists are written as YAML reads them, and as the real steps write them. */
const listed = (ids: string | undefined) =>
  ids === undefined ? undefined : JSON.stringify(ids.split(',')).replaceAll('"', "'");

/** The network as steps of a step registry look for it. */
export function networkFiles(made: string): Readonly<Record<string, string | undefined>> {
  const { VpcId, PrivateSubnetIds, PublicSubnetIds } = parseMade(made);
  return {
    vpc_id: VpcId,
    private_subnet_ids: listed(PrivateSubnetIds),
    public_subnet_ids: listed(PublicSubnetIds),
  };
}
