import type { Context } from '../../core/context.ts';
import { AtollError } from '../../core/errors.ts';
import type { Ref } from './client/markup.ts';
import { allBelow, objectAt } from './client/properties.ts';
import { textIn } from './client/read.ts';
import type { Vcenter } from './client/vcenter.ts';
import type { InventoryPlace } from './places.ts';

/** The same in every vCenter. */
const ROOT: Ref = { type: 'Folder', value: 'group-d1' };
const SHOWN = 12;

/** The object at a place; where there is none, the error names what there is instead. */
export async function findPlace(
  ctx: Context,
  vcenter: Vcenter,
  place: InventoryPlace,
): Promise<Ref> {
  const ref = await objectAt(ctx, vcenter, place.path);
  if (ref !== undefined && place.types.includes(ref.type)) return ref;
  const found = ref === undefined ? 'there is none' : `it is a ${ref.type}`;
  const names = await namesThere(ctx, vcenter, place, ROOT);
  const shown = names.slice(0, SHOWN).map((name) => `"${name}"`);
  const rest = names.length > SHOWN ? `, and ${names.length - SHOWN} more` : '';
  throw new AtollError(
    'CLOUD_REFUSED',
    `Cannot use the ${place.what} ${place.path}: ${found} in ${vcenter.server}`,
    {
      hint:
        names.length === 0
          ? `The user sees no ${place.what} there: check the privileges of the user, and platform.${place.setting}`
          : `Correct platform.${place.setting}: there is ${shown.join(', ')}${rest}`,
      details: { path: place.path, setting: place.setting },
    },
  );
}

async function namesThere(
  ctx: Context,
  vcenter: Vcenter,
  { types }: InventoryPlace,
  container: Ref,
): Promise<readonly string[]> {
  const names: string[] = [];
  for (const type of types) {
    const found = await allBelow(ctx, vcenter, { container, type, names: ['name'] });
    names.push(...found.map(({ properties }) => textIn(properties.get('name'))));
  }
  return [...new Set(names)].toSorted();
}
