import { expect, test } from 'vitest';
import { silentContext } from '../core/context.ts';
import { AtollError } from '../core/errors.ts';
import { createRegistries } from '../remote/create-registries.ts';
import { waitForImageRegistry } from './wait-for-image-registry.ts';

test('waitForImageRegistry ends with the reason as soon as nobody is left who could answer', async () => {
  const registries = createRegistries({ insecure: true, tuning: { retry: { attempts: 1 } } });
  const end = new AtollError('PROGRAM_FAILED', 'It ended');
  const looks = [undefined, undefined, end];

  await expect(
    // Nobody listens on the port of "discard"; a patience without end shows that it is not what ends this.
    waitForImageRegistry(silentContext(), registries, '127.0.0.1:9', {
      patienceMs: Number.POSITIVE_INFINITY,
      ended: async () => looks.shift(),
    }),
  ).rejects.toBe(end);
  expect(looks).toEqual([]);
  await registries.close();
});
