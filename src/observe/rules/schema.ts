import * as z from 'zod';
import { PARTIES } from '../party.ts';

/** Where evidence comes from; `*` stands for anything within one. See `assets/failures/causes.yaml`. */
const WHERE =
  /^(?:(?:cli|journal|console|pod|object|event|record|file|aws):[\w*./-]+|installer-log|\*)$/;

/** Whether a text names where evidence may come from. */
export const isWhere = (text: string): boolean => WHERE.test(text);

/** A path into an API object: `status.conditions[type=Available].status`. */
const TEST = z
  .strictObject({
    path: z.string(),
    /** The value is one of these. */
    is: z.array(z.string()).optional(),
    /** The value is there and none of these. */
    not: z.array(z.string()).optional(),
    matches: z.string().optional(),
    absent: z.literal(true).optional(),
    /** The value is a time, so many minutes before the evidence ends. */
    olderMinutes: z.number().optional(),
  })
  .refine((test) => Object.keys(test).length === 2, 'one test per path');

const OBJECT = z.strictObject({
  kind: z.string(),
  name: z.string().optional(),
  all: z.array(TEST).min(1),
});

/** A line of a log, or an API object for rules that look at one. */
const SAMPLE = z.union([z.string(), z.record(z.string(), z.unknown())]);

const RULE = z
  .strictObject({
    id: z.string().regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/),
    category: z.enum(['image-sync', 'bootstrap', 'install', 'node-join']),
    kind: z.enum(['root', 'symptom', 'benign']),
    /** What experts call the cause: one word for all rules that mean the same. */
    cause_id: z
      .string()
      .regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/)
      .optional(),
    where: z.array(z.string().regex(WHERE)).min(1),
    pattern: z.string().optional(),
    object: OBJECT.optional(),
    /** A later line of the same file that says it is over, or the name of one: what came before it counts for nothing. */
    over: z.string().optional(),
    /** Too common a wording for text nobody can place: the line or its file must tell that it is from there. */
    placed: z.literal(true).optional(),
    /** Whom the line is about: the same words mean something else of somebody else. */
    about: z.array(z.enum(PARTIES)).min(1).optional(),
    /** Whom the line must not be about. */
    not_about: z.array(z.enum(PARTIES)).min(1).optional(),
    /** Lines that must be anywhere in the evidence, too. */
    needs: z.array(z.string()).default([]),
    /** Lines that speak against it, wherever they are. */
    unless: z.array(z.string()).default([]),
    /** Causes that only follow from this one. */
    explains: z.array(z.string()).default([]),
    /** More specific than these: where both match a line, only this one counts. */
    instead_of: z.array(z.string()).default([]),
    /** Rules that rightly fire on the sample, too. */
    also: z.array(z.string()).default([]),
    sample: SAMPLE,
    /** The same said by other programs and versions: it fires on each. */
    wordings: z.array(z.string()).default([]),
    /** Looks alike and must stay silent. */
    not_sample: SAMPLE,
    cause: z.string(),
    remedy: z.string(),
    /** To run as they are; `{name}` is filled from the named groups of the pattern. */
    commands: z.array(z.string()).default([]),
    source: z.string(),
  })
  .refine((rule) => (rule.pattern === undefined) !== (rule.object === undefined), {
    message: 'give either a pattern or an object',
  })
  .refine((rule) => rule.over === undefined || rule.pattern !== undefined, {
    message: 'only what lines say can be over',
  });

/** What is said of causes, whichever rule named them. */
const CAUSES = z.strictObject({
  /** Lines that end failures of many rules, by name: an `over` of words with hyphens is such a name. */
  lines: z.record(z.string().regex(/^[a-z]+(?:-[a-z]+)+$/), z.string()).default({}),
  /** Comes and goes by itself: said once, and something else said after it, it is no cause. */
  passing: z.array(z.string()).default([]),
  /** What only follows: causes by their word, other rules by their id. */
  consequences: z
    .array(z.strictObject({ of: z.array(z.string()).min(1), are: z.array(z.string()).min(1) }))
    .default([]),
  /** How far a conversation with one other end came, step by step: an answer further up ends what is below. */
  ladders: z.array(z.array(z.array(z.string()).min(1)).min(2)).default([]),
});

export const CATALOGUE = z.strictObject({
  version: z.literal(1),
  causes: CAUSES.default({ lines: {}, passing: [], consequences: [], ladders: [] }),
  failures: z.array(RULE).default([]),
});

export type CauseData = z.infer<typeof CAUSES>;

export type RuleData = z.infer<typeof RULE>;
export type ObjectTest = z.infer<typeof TEST>;
export type Category = RuleData['category'];
export type RuleKind = RuleData['kind'];
