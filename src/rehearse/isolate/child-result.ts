import * as z from 'zod';
import { AtollError } from '../../core/errors.ts';
import { parseJson } from '../../core/shape.ts';
import { type Cause, HOLES, type HoleWords } from '../check/hole-table.ts';
import type { Rehearsal } from '../rehearse.ts';

// What the process in the namespace says: events on stderr, one result or one error on stdout.

const texts = z.array(z.string());
const CAUSES: ReadonlySet<string> = new Set(
  Object.entries<HoleWords>(HOLES).map(([id, { cause }]) => cause ?? id),
);

const findingSchema = z.object({
  cause: z.custom<Cause>((value) => CAUSES.has(String(value))),
  severity: z.enum(['hole', 'warning']),
  fault: z.enum(['content', 'configuration']),
  title: z.string(),
  rule: z.string(),
  commands: texts,
  evidence: texts,
  images: z.array(z.object({ name: z.string(), reason: z.string() })),
});

export const rehearsalSchema = z.object({
  clean: z.boolean(),
  findings: z.array(findingSchema),
  images: z.number(),
  pullable: z.number(),
  blobs: z.number(),
  downloadedBytes: z.number(),
  depth: z.enum(['head', 'full']),
  registries: texts,
  unread: z.array(z.object({ subject: z.string(), message: z.string() })),
  unchecked: texts,
  openSources: texts,
}) satisfies z.ZodType<Rehearsal>;

const errorSchema = z.object({
  error: z.object({ message: z.string(), hint: z.string().optional() }),
});

export interface ChildOutput {
  readonly stdout: string;
  /** Without the events. */
  readonly stderr: string;
}

export function rehearsalOf({ stdout, stderr }: ChildOutput): Rehearsal {
  const printed = parseJson(stdout);
  const result = rehearsalSchema.safeParse(printed);
  if (result.success) return result.data;
  const told = errorSchema.safeParse(printed).data?.error;
  const words = told?.message ?? stderr.trim().split('\n').at(-1) ?? '';
  throw new AtollError('PROGRAM_FAILED', `Cannot rehearse in a namespace: ${words}`, {
    hint: told?.hint,
    cause: result.error,
  });
}
