import * as z from 'zod';
import { ERROR_NAMES } from '../../core/error-codes.ts';
import { imageRecordSchema } from './image-record.ts';

const failureSchema = z.object({
  code: z.enum(ERROR_NAMES).optional(),
  message: z.string(),
  hint: z.string().optional(),
});

/** One image of a run: what it is, where it went, what became of it and why it was wanted. */
export const reportedImageSchema = imageRecordSchema().extend({
  target: z.string(),
  outcome: z.enum(['copied', 'skipped', 'failed']),
  sizeBytes: z.number().optional(),
  copiedBytes: z.number(),
  sparedBytes: z.number().optional().describe('What deltas inside its layers spared'),
  attempts: z.number(),
  error: failureSchema.optional(),
});

/** One layer: the program that rebuilds it, or why it is carried whole. */
const layerOutcomeSchema = z.object({
  digest: z.string(),
  base: z.string().optional().describe('The older layer it was compared with'),
  sizeBytes: z.number(),
  carriedBytes: z.number(),
  method: z.string().optional(),
  whole: z.string().optional(),
});

export type LayerOutcome = Readonly<z.output<typeof layerOutcomeSchema>>;

/** What ran, and the folder of the bundle where there was one. */
const runKindSchema = z.object({
  flow: z.enum(['sync', 'save', 'load', 'release']),
  folder: z.string().optional(),
  destination: z
    .object({ registry: z.string(), prefix: z.string(), maxNestedPaths: z.number() })
    .optional()
    .describe('The mirror that was filled'),
});

/** `report.json`: every image of the run, and totals. */
export const reportSchema = runKindSchema.extend({
  images: z.array(reportedImageSchema).readonly(),
  notCollected: z
    .array(failureSchema.extend({ subject: z.string() }))
    .readonly()
    .describe('What was asked for and could not be found out'),
  copied: z.number(),
  skipped: z.number(),
  failed: z.number().describe('Images that failed and things that could not be collected'),
  copiedBytes: z.number(),
  mountedBytes: z.number(),
  durationMs: z.number(),
  deltas: z
    .array(layerOutcomeSchema)
    .readonly()
    .optional()
    .describe('Layers the mirror lacks: how each is carried'),
});

export type RunKind = Readonly<z.output<typeof runKindSchema>>;
export type ReportedImage = Readonly<z.output<typeof reportedImageSchema>>;
export type MirrorReport = Readonly<z.output<typeof reportSchema>>;
