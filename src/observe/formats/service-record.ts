import * as z from 'zod';
import { AtollError } from '../../core/errors.ts';
import { byFirst } from '../../core/order.ts';

/**
 * What the services of a bootstrap machine write to `/var/log/openshift/<service>.json`: one JSON
 * array per service, rewritten whole for each entry. A log bundle has it as `bootstrap/services/<service>.json`.
 */
export interface ServiceRecordEntry {
  readonly timestamp: string;
  readonly phase: ServicePhase;
  readonly stage?: string | undefined;
  readonly preCommand?: string | undefined;
  readonly postCommand?: string | undefined;
  readonly result?: 'success' | 'failure' | undefined;
  readonly errorLine?: string | undefined;
  /** The last three journal lines of the unit. */
  readonly errorMessage?: string | undefined;
}

const PHASES = [
  'service start',
  'service end',
  'stage start',
  'stage end',
  'pre-command start',
  'pre-command end',
  'post-command start',
  'post-command end',
] as const;

export type ServicePhase = (typeof PHASES)[number];

const ENTRY = z.object({
  timestamp: z.string().refine((text) => !Number.isNaN(Date.parse(text)), 'not a time'),
  phase: z.enum(PHASES),
  stage: z.string().optional(),
  preCommand: z.string().optional(),
  postCommand: z.string().optional(),
  result: z.enum(['success', 'failure']).optional(),
  errorLine: z.string().optional(),
  errorMessage: z.string().optional(),
});

/** Reads a service record; `name` is for the error. */
export function parseServiceRecord(name: string, text: string): ServiceRecordEntry[] {
  const parsed = z.array(ENTRY).safeParse(parseJson(name, text));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw invalid(name, `entry ${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'not an entry'}`);
}

/** The bytes of a service record: empty fields are absent, as the services write it. */
export function formatServiceRecord(entries: readonly ServiceRecordEntry[]): string {
  const filled = entries.map((entry) =>
    Object.fromEntries(
      Object.entries(entry)
        .filter(([, value]) => value !== undefined && value !== '')
        .toSorted(byFirst),
    ),
  );
  return `${JSON.stringify(filled, null, 2)}\n`;
}

/** `2026-08-20T10:11:12Z`: the services know seconds only. */
export function recordTimestamp(at: Date): string {
  return `${at.toISOString().slice(0, 19)}Z`;
}

function parseJson(name: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw invalid(name, 'not JSON', cause);
  }
}

function invalid(name: string, found: string, cause?: unknown): AtollError {
  return new AtollError('INPUT_INVALID', `Cannot read the service record "${name}": ${found}`, {
    cause,
    details: { path: name },
  });
}
