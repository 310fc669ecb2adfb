import { join } from 'node:path';
import * as z from 'zod';
import { readText } from '../../core/files.ts';

export type NodeRole = 'bootstrap' | 'master' | 'worker';

/** What a lab node is told when it is "powered on": the rest it finds in its own file system. */
export interface NodeSpec {
  readonly name: string;
  readonly role: NodeRole;
  /** Its address, where this machine can play several. */
  readonly address?: string | undefined;
  /** Its file system. Nothing outside is read but the board. */
  readonly root: string;
  /** Stands for the Kubernetes API: a folder that all nodes of a lab share. */
  readonly board: string;
  /** Release image by digest, as openshift-install would have baked it in. */
  readonly releaseImage: string;
  readonly masters: number;
  readonly workers: number;
  /** Images that workloads need besides the payload, by the names users write. */
  readonly workloads: readonly string[];
  /** Size of the node's disk for images; undefined for no limit. */
  readonly diskBytes?: number | undefined;
  /** How often an endless loop is played before the node gives up, where a real one never does. */
  readonly patience: number;
}

const schema = z.strictObject({
  name: z.string(),
  role: z.enum(['bootstrap', 'master', 'worker']),
  root: z.string(),
  address: z.string().optional(),
  board: z.string(),
  releaseImage: z.string(),
  masters: z.number(),
  workers: z.number(),
  workloads: z.array(z.string()),
  diskBytes: z.number().optional(),
  patience: z.number(),
});

export const nodeSpecPath = (root: string): string => join(root, 'lab-node.json');

export async function readNodeSpec(root: string): Promise<NodeSpec> {
  return schema.parse(JSON.parse(await readText(nodeSpecPath(root))));
}
