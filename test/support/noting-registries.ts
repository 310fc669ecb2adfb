import { digestOf } from '../../src/oci/digest.ts';
import { createRegistries } from '../../src/remote/create-registries.ts';
import type { Registries } from '../../src/remote/registries.ts';

/** What every tag of {@link notingRegistries} names. */
export const FOUND = { mediaType: 'application/x', digest: digestOf('image'), size: 5 };

/** Registries that note what is asked of them; everything is there but what is called "broken". */
export function notingRegistries(): { registries: Registries; asked: string[] } {
  const asked: string[] = [];
  const all = createRegistries();
  const repository: Registries['repository'] = (registry, path) => {
    const real = all.repository(registry, path);
    const resolve = async (_ctx: unknown, tag: string) => {
      asked.push(`${registry}/${path}:${tag}`);
      if (tag === 'broken') throw new Error('cable out');
      return FOUND;
    };
    const read = real.can.read && { ...real.can.read, resolve };
    return Object.assign(Object.create(real), { can: { ...real.can, read } });
  };
  return { registries: Object.assign(Object.create(all), { repository }), asked };
}
