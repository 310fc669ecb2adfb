import * as z from 'zod';
import type { Context } from '../../core/context.ts';
import { KINDS } from '../api/kinds.ts';
import { type KubeObject, keyOf } from '../api/object.ts';
import type { Resources } from '../api/resources.ts';
import { ApiError } from '../api/status-error.ts';
import { type WatchOptions, watch } from '../api/watch.ts';
import { readCertificateRequest, stateOf } from './certificate-request.ts';
import { type ExpectedNode, type JoinedNode, type Judgement, judge } from './judge.ts';

export interface ApproveOptions extends Pick<WatchOptions, 'retryMs'> {
  readonly expected: readonly ExpectedNode[];
  /** Called for each pending request that was looked at. */
  readonly onJudged?: ((request: string, judgement: Judgement) => void) | undefined;
}

/**
 * Watches the requests for certificates and grants those of expected machines, until the signal
 * aborts. The others stay pending and are told once: only a person may know better.
 */
export async function approveRequests(
  ctx: Context,
  resources: Resources,
  options: ApproveOptions,
): Promise<void> {
  const pending = new Map<string, KubeObject>();
  const told = new Map<string, string>();
  const look = async (object: KubeObject) => {
    const { name } = object.metadata;
    const judgement = await approveOne(ctx, resources, object, options.expected);
    if (judgement.verdict !== 'leave') pending.delete(name);
    options.onJudged?.(name, judgement);
    if (told.get(name) !== judgement.reason) tell(ctx, name, judgement);
    told.set(name, judgement.reason);
  };
  const requests = async () => {
    for await (const { type, object } of watch(ctx, resources, KINDS.certificateRequest, options)) {
      const isPending = type !== 'deleted' && stateOf(object) === 'pending';
      if (isPending) pending.set(object.metadata.name, object);
      else pending.delete(object.metadata.name);
      if (isPending) await look(object);
    }
  };
  // A request to serve may come before its node is known.
  const nodes = async () => {
    for await (const { type } of watch(ctx, resources, KINDS.node, options)) {
      if (type === 'added') for (const object of [...pending.values()]) await look(object);
    }
  };
  await Promise.all([requests(), nodes()]);
}

/** Looks at every pending request once, for those who do not watch. */
export async function approvePending(
  ctx: Context,
  resources: Resources,
  expected: readonly ExpectedNode[],
): Promise<readonly (Judgement & { readonly request: string })[]> {
  const { objects } = await resources.list(ctx, KINDS.certificateRequest);
  const judged: (Judgement & { readonly request: string })[] = [];
  for (const object of objects.filter((one) => stateOf(one) === 'pending')) {
    const { name } = object.metadata;
    const judgement = await approveOne(ctx, resources, object, expected);
    tell(ctx, name, judgement);
    judged.push({ request: name, ...judgement });
  }
  return judged;
}

async function approveOne(
  ctx: Context,
  resources: Resources,
  object: KubeObject,
  expected: readonly ExpectedNode[],
): Promise<Judgement> {
  const request = await readCertificateRequest(object);
  if (!request) return { verdict: 'leave', reason: 'it holds no request that can be read' };
  const judgement = judge(request, expected, await joinedNodes(ctx, resources));
  if (judgement.verdict === 'approve') await grant(ctx, resources, object, judgement);
  return judgement;
}

async function grant(
  ctx: Context,
  resources: Resources,
  object: KubeObject,
  { reason }: Judgement,
): Promise<void> {
  const condition = {
    type: 'Approved',
    status: 'True',
    reason: 'AtollApproved',
    message: `By rule: ${reason}`,
  };
  const body: KubeObject = { ...object, status: { conditions: [condition] } };
  try {
    await resources.replace(ctx, keyOf(object), body, 'approval');
  } catch (error) {
    // Another client changed the request meanwhile; the next watch event has the outcome.
    if (!(error instanceof ApiError && (error.status === 409 || error.status === 404))) throw error;
  }
}

const nodeSchema = z.object({
  metadata: z.object({ name: z.string() }),
  status: z
    .object({ addresses: z.array(z.object({ address: z.string() })).default([]) })
    .default({ addresses: [] }),
});

async function joinedNodes(ctx: Context, resources: Resources): Promise<JoinedNode[]> {
  const { objects } = await resources.list(ctx, KINDS.node);
  return objects.map((object) => {
    const { metadata, status } = nodeSchema.parse(object);
    return { name: metadata.name, addresses: status.addresses.map(({ address }) => address) };
  });
}

function tell(ctx: Context, name: string, { verdict, node, reason }: Judgement): void {
  if (verdict === 'foreign') return;
  if (verdict === 'approve') {
    ctx.emit({ type: 'note.added', message: `Approved ${name} for ${node}: ${reason}` });
    return;
  }
  ctx.emit({
    type: 'warning.raised',
    subject: name,
    message: `The request ${name} is left pending: ${reason}`,
    hint: `Look at it, and only then: oc adm certificate approve ${name}`,
  });
}
