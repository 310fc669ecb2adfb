import * as z from 'zod';
import { imageSetSchema } from '../content/image-set/parse-image-set.ts';
import { recordedEventSchema } from '../core/events.ts';
import { publishedSchema } from '../core/json-schema.ts';
import { bundleIndexSchema } from '../mirror/bundle/bundle-index.ts';
import { reportSchema } from '../mirror/flow/report-schema.ts';
import { siteJsonSchema } from '../site/schema.ts';
import { PLATFORMS } from './platforms.ts';

const imageSet = z.union([
  imageSetSchema('v2alpha1', 'mirror'),
  imageSetSchema('v2alpha1', 'delete'),
  imageSetSchema('v1alpha2', 'mirror'),
]);

/** `schemas/`, by file name: what atoll reads, and what it writes for others to read. */
export function publishedSchemas(): Readonly<Record<string, unknown>> {
  return {
    'bundle.json': publishedSchema('bundle', 'bundle.json of a bundle', bundleIndexSchema),
    'event.json': publishedSchema('event', 'A line of events.ndjson', recordedEventSchema),
    'image-set.json': publishedSchema(
      'image-set',
      'ImageSetConfiguration and DeleteImageSetConfiguration of mirror.openshift.io',
      imageSet,
    ),
    'report.json': publishedSchema('report', 'report.json of a mirror run', reportSchema),
    'site.json': siteJsonSchema(PLATFORMS),
  };
}
