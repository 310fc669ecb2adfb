import * as z from 'zod';
import { AtollError } from '../../../core/errors.ts';
import { parseReference, type Reference } from '../../../oci/reference.ts';

/** A release in an update graph. */
export interface GraphNode {
  readonly version: string;
  /** The release image, by digest. */
  readonly payload: Reference;
  /** Channels it is in; empty where the graph does not say. */
  readonly channels: readonly string[];
  readonly url: string | undefined;
}

/** Why an update is not recommended to everybody. */
export interface Risk {
  readonly name: string;
  readonly url: string;
  readonly message: string;
}

export interface GraphEdge {
  readonly from: string;
  readonly to: string;
  /** Empty for an update that is recommended to everybody. */
  readonly risks: readonly Risk[];
}

/** What the update service says of one channel and architecture. */
export interface UpdateGraph {
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
}

const CHANNELS = 'io.openshift.upgrades.graph.release.channels';

const risk = z.object({
  name: z.string(),
  url: z.string().default(''),
  message: z.string().default(''),
});

const schema = z.object({
  nodes: z.array(
    z.object({
      version: z.string().min(1),
      payload: z.string().min(1),
      metadata: z.record(z.string(), z.string()).nullish(),
    }),
  ),
  edges: z.array(z.tuple([z.int().nonnegative(), z.int().nonnegative()])),
  conditionalEdges: z
    .array(
      z.object({
        edges: z.array(z.object({ from: z.string(), to: z.string() })),
        risks: z.array(risk),
      }),
    )
    .nullish(),
});

/** Parses what an update service answers; `origin` is where it came from, for messages. */
export function parseUpdateGraph(text: string, origin: string): UpdateGraph {
  const parsed = schema.safeParse(parseJson(text, origin));
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    throw invalid(origin, `${issue?.path.join('.') || 'document'}: ${issue?.message}`);
  }
  const { nodes, edges, conditionalEdges } = parsed.data;
  const versionAt = (index: number): string => {
    const version = nodes[index]?.version;
    if (version === undefined) throw invalid(origin, `an edge names node ${index}, which is none`);
    return version;
  };
  return {
    nodes: nodes.map(({ version, payload, metadata }) => ({
      version,
      payload: parseReference(payload),
      channels: (metadata?.[CHANNELS] ?? '').split(',').flatMap((name) => name.trim() || []),
      url: metadata?.url || undefined,
    })),
    edges: [
      ...edges.map(([from, to]) => ({ from: versionAt(from), to: versionAt(to), risks: [] })),
      ...(conditionalEdges ?? []).flatMap((conditional) =>
        conditional.edges.map(({ from, to }) => ({ from, to, risks: conditional.risks })),
      ),
    ],
  };
}

function parseJson(text: string, origin: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw invalid(origin, 'it is not JSON', cause);
  }
}

function invalid(origin: string, found: string, cause?: unknown): AtollError {
  return new AtollError('INPUT_INVALID', `Cannot use the update graph ${origin}: ${found}`, {
    hint: 'Give another one with --graph URL or --graph FILE',
    cause,
  });
}
