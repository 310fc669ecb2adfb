import type { Context } from '../../../core/context.ts';
import { childrenOf, under, type Xml } from '../../shared/xml.ts';
import { type Markup, type Ref, refTag, tag, typedTag } from './markup.ts';
import { refIn, textIn } from './read.ts';
import type { Vcenter } from './vcenter.ts';

/** The same in every vCenter. */
const COLLECTOR: Ref = { type: 'PropertyCollector', value: 'propertyCollector' };
const VIEWS: Ref = { type: 'ViewManager', value: 'ViewManager' };
const INDEX: Ref = { type: 'SearchIndex', value: 'SearchIndex' };

/** An object with some of its properties. */
export interface Found {
  readonly ref: Ref;
  readonly properties: ReadonlyMap<string, Xml>;
}

/** An object by its place in the inventory: `/dc1/vm/bastion`. */
export async function objectAt(
  ctx: Context,
  vcenter: Vcenter,
  path: string,
): Promise<Ref | undefined> {
  const fields = [tag('inventoryPath', path)];
  return refIn(await vcenter.call(ctx, `look for ${path}`, 'FindByInventoryPath', INDEX, fields));
}

/** Properties of one object. */
export async function propertiesOf(
  ctx: Context,
  vcenter: Vcenter,
  ref: Ref,
  names: readonly string[],
): Promise<ReadonlyMap<string, Xml>> {
  const objects = [tag('objectSet', [refTag('obj', ref)])];
  const [found] = await retrieve(ctx, vcenter, ref.type, names, objects);
  return found?.properties ?? new Map();
}

/** Everything of a type below an object, with these properties. */
export async function allBelow(
  ctx: Context,
  vcenter: Vcenter,
  { container, type, names }: { container: Ref; type: string; names: readonly string[] },
): Promise<readonly Found[]> {
  const fields = [refTag('container', container), tag('type', type), tag('recursive', true)];
  const view = refIn(
    await vcenter.call(ctx, `list what is there`, 'CreateContainerView', VIEWS, fields),
  );
  if (view === undefined) return [];
  const through = [
    ...[tag('name', 'members'), tag('type', 'ContainerView'), tag('path', 'view')],
    tag('skip', false),
  ];
  const select = typedTag('selectSet', 'TraversalSpec', through);
  const objects = [tag('objectSet', [refTag('obj', view), tag('skip', true), select])];
  try {
    return await retrieve(ctx, vcenter, type, names, objects);
  } finally {
    await vcenter.call(ctx, 'end a list', 'DestroyView', view);
  }
}

async function retrieve(
  ctx: Context,
  vcenter: Vcenter,
  type: string,
  names: readonly string[],
  objects: readonly Markup[],
): Promise<Found[]> {
  const wanted = [tag('type', type), ...names.map((name) => tag('pathSet', name))];
  const fields = [tag('specSet', [tag('propSet', wanted), ...objects]), tag('options', [])];
  const doing = `read ${names.join(', ')} of ${type}`;
  const found: Found[] = [];
  let page = await vcenter.call(ctx, doing, 'RetrievePropertiesEx', COLLECTOR, fields);
  for (;;) {
    found.push(...childrenOf(page, 'objects').flatMap(foundIn));
    const token = textIn(page, 'token');
    if (token === '') return found;
    const more = [tag('token', token)];
    page = await vcenter.call(ctx, doing, 'ContinueRetrievePropertiesEx', COLLECTOR, more);
  }
}

function foundIn(object: Xml): Found[] {
  const ref = refIn(object, 'obj');
  if (ref === undefined) return [];
  const properties = childrenOf(object, 'propSet').map(
    (each) => [textIn(each, 'name'), under(each, 'val') ?? ''] as const,
  );
  return [{ ref, properties: new Map(properties) }];
}
