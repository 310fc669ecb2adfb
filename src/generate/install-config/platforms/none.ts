import * as z from 'zod';
import { text } from '../fields.ts';
import { oneOf } from '../violation.ts';
import { definePlatform } from './platform.ts';

export const noneInput = z.strictObject({ type: z.literal('none') });

/** Machines of any kind that somebody else starts. */
export const none = definePlatform({
  traits: {
    name: 'none',
    dottedNames: true,
    singleNode: 'any',
    bootstrapInPlace: true,
    twoNodes: true,
  },
  section: {},
  pool: {},
  build: () => ({}),
  check: () => [],
});

/** A cloud that brings its own controllers. Checked, but not written. */
export const external = definePlatform({
  traits: {
    name: 'external',
    dottedNames: true,
    singleNode: 'in-place',
    bootstrapInPlace: true,
    twoNodes: true,
    capabilities: ['CloudCredential'],
  },
  section: { platformName: text, cloudControllerManager: text },
  pool: {},
  build: () => ({}),
  check: ({ cloudControllerManager }) =>
    oneOf('platform.external.cloudControllerManager', cloudControllerManager, ['External']),
});
