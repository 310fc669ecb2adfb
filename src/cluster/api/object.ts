import * as z from 'zod';

const conditionSchema = z.looseObject({
  type: z.string(),
  status: z.string(),
  reason: z.string().default(''),
  message: z.string().default(''),
  lastTransitionTime: z.string().optional(),
});
export type Condition = z.output<typeof conditionSchema>;

/** What every object of a cluster has; the rest is read by those who know the kind. */
export const objectSchema = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.looseObject({
    name: z.string(),
    namespace: z.string().optional(),
    uid: z.string().optional(),
    resourceVersion: z.string().optional(),
    generation: z.number().optional(),
    labels: z.record(z.string(), z.string()).optional(),
    managedFields: z
      .array(
        z.looseObject({
          manager: z.string().default(''),
          operation: z.string().default(''),
          subresource: z.string().optional(),
          fieldsV1: z.record(z.string(), z.unknown()).optional(),
        }),
      )
      .optional(),
  }),
});
export type KubeObject = z.output<typeof objectSchema>;

/** Where objects of a kind are: enough to name one in errors and commands. */
export interface ObjectKey {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string | undefined;
  readonly name: string;
}

export function keyOf({ apiVersion, kind, metadata }: KubeObject): ObjectKey {
  return { apiVersion, kind, namespace: metadata.namespace, name: metadata.name };
}

/** `CatalogSource openshift-marketplace/cs-a`: for people. */
export function titleOf({ kind, namespace, name }: ObjectKey): string {
  return `${kind} ${namespace ? `${namespace}/` : ''}${name}`;
}

/** One text for one object, whatever the version of its API. */
export function idOf({ apiVersion, kind, namespace, name }: ObjectKey): string {
  return [apiVersion.split('/').at(-2) ?? '', kind, namespace ?? '', name].join('|');
}

const conditionsSchema = z.object({
  status: z.object({ conditions: z.array(conditionSchema).default([]) }),
});

export function conditionsOf(object: unknown): readonly Condition[] {
  return conditionsSchema.safeParse(object).data?.status.conditions ?? [];
}

export function conditionOf(object: unknown, type: string): Condition | undefined {
  return conditionsOf(object).find((one) => one.type === type);
}

/** `Degraded=True (SyncError): the words`, for evidence. */
export function conditionText({ type, status, reason, message }: Condition): string {
  const why = reason ? ` (${reason})` : '';
  return `${type}=${status}${why}${message ? `: ${message.split('\n')[0]}` : ''}`;
}
