import { describe } from 'vitest';
import { blobsSuite, type Place } from './blobs-suite.ts';
import { recordsSuite } from './records-suite.ts';
import { uploadsSuite } from './uploads-suite.ts';

export type { Place };

/** What every store promises, whatever it is made of. */
export function storeSuite(
  name: string,
  makePlace: () => Promise<Place>,
  objectsAreFiles = false,
): void {
  describe(name, () => {
    blobsSuite(makePlace);
    uploadsSuite(makePlace);
    recordsSuite(makePlace, objectsAreFiles);
  });
}
