import type { Context } from '../../core/context.ts';
import { AtollError } from '../../core/errors.ts';
import { type KubeObject, keyOf, objectSchema, titleOf } from '../api/object.ts';
import type { Resources } from '../api/resources.ts';
import { ApiError, type FieldConflict } from '../api/status-error.ts';

/** Who we are in `metadata.managedFields`: a name that stays, or what we applied is lost to us. */
export const FIELD_MANAGER = 'atoll';

export type Applied = 'created' | 'changed' | 'unchanged' | 'skipped';

export interface ApplyOptions {
  /** Takes over fields that others manage. */
  readonly force?: boolean | undefined;
  /** The API checks everything and keeps nothing. */
  readonly dryRun?: boolean | undefined;
}

/** Defaults that operators write into their own settings: overwriting them is no conflict. */
const DEFAULTS_BY: Readonly<Record<string, RegExp>> = {
  'samples.operator.openshift.io/v1 Config': /^cluster-samples-operator$/,
  'config.openshift.io/v1 OperatorHub': /^(?:marketplace-operator|cluster-version-operator)$/,
  'config.openshift.io/v1 Image': /^(?:cluster-bootstrap|cluster-version-operator)$/,
  'olm.operatorframework.io/v1 ClusterCatalog': /^cluster-olm-operator$/,
};

/**
 * Brings one object to the cluster by server-side apply: only the fields it names are ours, and what
 * somebody else manages is not changed unless that was asked for.
 */
export async function applyObject(
  ctx: Context,
  resources: Resources,
  object: KubeObject,
  options: ApplyOptions = {},
): Promise<Applied> {
  const before = await resources.get(ctx, keyOf(object));
  try {
    return resultOf(before, await send(ctx, resources, object, options));
  } catch (error) {
    if (!(error instanceof ApiError) || error.conflicts.length === 0) throw error;
    if (!isDefault(object, error.conflicts)) throw conflict(object, error);
    return resultOf(before, await send(ctx, resources, object, { ...options, force: true }));
  }
}

async function send(
  ctx: Context,
  resources: Resources,
  object: KubeObject,
  { force, dryRun }: ApplyOptions,
): Promise<KubeObject> {
  const answer = await resources.client.json(ctx, {
    method: 'PATCH',
    path: await resources.pathOf(ctx, keyOf(object)),
    query: {
      fieldManager: FIELD_MANAGER,
      // An unknown field is an error, not a field that vanishes.
      fieldValidation: 'Strict',
      force: force ? 'true' : 'false',
      dryRun: dryRun ? 'All' : undefined,
    },
    contentType: 'application/apply-patch+yaml',
    body: object,
    what: `apply ${titleOf(keyOf(object))}`,
  });
  return objectSchema.parse(answer);
}

function resultOf(before: KubeObject | undefined, after: KubeObject): Applied {
  if (!before) return 'created';
  return contentOf(before) === contentOf(after) ? 'unchanged' : 'changed';
}

/** All but what the API writes itself. A dry run has no version of its own, so content is compared. */
function contentOf({ metadata, ...rest }: KubeObject): string {
  const { name, namespace, labels, annotations } = metadata;
  return sortedJson({
    ...rest,
    status: undefined,
    metadata: { name, namespace, labels, annotations },
  });
}

function sortedJson(value: unknown): string {
  return JSON.stringify(value, (_key, each: unknown) =>
    each !== null && typeof each === 'object' && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  );
}

function isDefault({ apiVersion, kind }: KubeObject, conflicts: readonly FieldConflict[]): boolean {
  const pattern = DEFAULTS_BY[`${apiVersion} ${kind}`];
  return pattern !== undefined && conflicts.every(({ manager }) => pattern.test(manager));
}

function conflict(object: KubeObject, error: ApiError): AtollError {
  const fields = error.conflicts.map(({ field, manager }) => `${field} belongs to "${manager}"`);
  return new AtollError(
    'CLUSTER_CONFLICT',
    `Cannot apply ${titleOf(keyOf(object))}: ${fields.join('; ')}`,
    { hint: 'Ask who manages it, or take the fields over with --force', cause: error },
  );
}
