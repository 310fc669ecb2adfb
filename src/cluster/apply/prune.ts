import type { Context } from '../../core/context.ts';
import { KINDS } from '../api/kinds.ts';
import { idOf, type KubeObject, keyOf, type ObjectKey, titleOf } from '../api/object.ts';
import type { Kind, ListOptions, Resources } from '../api/resources.ts';
import { FIELD_MANAGER } from './apply-object.ts';

/** What mirroring writes and a later run may no longer want. Settings of the cluster stay. */
const PRUNABLE: readonly (Kind & ListOptions)[] = [
  KINDS.digestMirrors,
  KINDS.tagMirrors,
  KINDS.contentPolicy,
  { ...KINDS.catalogSource, namespace: 'openshift-marketplace' },
  KINDS.clusterCatalog,
  { ...KINDS.updateService, namespace: 'openshift-update-service' },
];

/** Objects that we applied once and that are not wanted any more; those others share are only told. */
export async function unwanted(
  ctx: Context,
  resources: Resources,
  wanted: readonly KubeObject[],
): Promise<readonly ObjectKey[]> {
  const keep = new Set(wanted.map((object) => idOf(keyOf(object))));
  const lists = await Promise.all(
    PRUNABLE.map(async ({ namespace, ...kind }) => {
      const { objects } = await resources.list(ctx, kind, { namespace });
      return objects;
    }),
  );
  const ours = lists.flat().filter((object) => isApplied(object) && !keep.has(idOf(keyOf(object))));
  for (const object of ours.filter(isShared)) tellShared(ctx, object);
  return ours.filter((object) => !isShared(object)).map(keyOf);
}

function isApplied({ metadata }: KubeObject): boolean {
  return (metadata.managedFields ?? []).some(
    ({ manager, operation }) => manager === FIELD_MANAGER && operation === 'Apply',
  );
}

/** Whether somebody else also manages a part of what the object says. */
function isShared({ metadata }: KubeObject): boolean {
  return (metadata.managedFields ?? []).some(
    ({ manager, subresource, fieldsV1 }) =>
      manager !== FIELD_MANAGER && subresource === undefined && fieldsV1?.['f:spec'] !== undefined,
  );
}

function tellShared(ctx: Context, object: KubeObject): void {
  const title = titleOf(keyOf(object));
  ctx.emit({
    type: 'warning.raised',
    subject: title,
    message: `${title} is not wanted any more, but others manage it too: it stays`,
    hint: 'Remove it by hand if nobody needs it',
  });
}
