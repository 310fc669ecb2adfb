import { dateOf } from './formats/dates.ts';
import type { ApiObject } from './formats/objects.ts';

/** What an API object says in words, so that the rules for lines can read it. */
export interface ObjectWords {
  /** `object:ClusterOperator/ingress`, `event:Failed`, `aws:cloudformation`. */
  readonly origin: string;
  readonly lines: readonly string[];
  readonly at?: Date | undefined;
}

const MAX_LINES = 200;
/** Real ones have a dozen levels; the data is somebody else's. */
const MAX_DEPTH = 50;

export function wordsOf(object: ApiObject): ObjectWords {
  if (typeof object.ResourceStatus === 'string') return stackEvent(object);
  if (object.kind === 'Event') return event(object);
  const kind = textOf(object.kind) ?? 'Unknown';
  const name = textOf(object.metadata?.name) ?? '';
  const lines = [...conditionLines(object), ...leafLines(object.status, 'status')];
  return { origin: `object:${kind}/${name}`, lines: lines.slice(0, MAX_LINES) };
}

function event(object: ApiObject): ObjectWords {
  const reason = textOf(object.reason) ?? 'Unknown';
  const about = object.involvedObject as { kind?: unknown; name?: unknown } | undefined;
  const subject = about ? ` (${textOf(about.kind) ?? ''}/${textOf(about.name) ?? ''})` : '';
  const message = textOf(object.message) ?? textOf(object.note) ?? '';
  return {
    origin: `event:${reason}`,
    lines: [`${reason}: ${message}${subject}`],
    at: dateOf(object.lastTimestamp) ?? dateOf(object.eventTime) ?? dateOf(object.firstTimestamp),
  };
}

function stackEvent(object: ApiObject): ObjectWords {
  const parts = [object.LogicalResourceId, object.ResourceStatus, object.ResourceStatusReason];
  return {
    origin: 'aws:cloudformation',
    lines: [
      parts
        .map((part) => textOf(part) ?? '')
        .join(' ')
        .trim(),
    ],
    at: dateOf(object.Timestamp),
  };
}

/** `Degraded=True (Reason): message`, for each condition. */
function conditionLines(object: ApiObject): string[] {
  const { conditions } = (object.status ?? {}) as { conditions?: unknown };
  if (!Array.isArray(conditions)) return [];
  return conditions.filter(isRecord).map((one) => {
    const reason = textOf(one.reason);
    return `${textOf(one.type)}=${textOf(one.status)}${reason ? ` (${reason})` : ''}: ${textOf(one.message) ?? ''}`;
  });
}

/** `lastObservedState: READY`: every text inside, except conditions, which have their own form. */
function leafLines(value: unknown, key: string, depth = 0): string[] {
  if (typeof value === 'string') return [`${key}: ${value}`];
  if (depth > MAX_DEPTH) return [];
  if (Array.isArray(value)) return value.flatMap((item) => leafLines(item, key, depth + 1));
  if (!isRecord(value)) return [];
  const waiting = waitingLine(value);
  return [
    ...waiting,
    ...Object.entries(value).flatMap(([inner, item]) =>
      inner === 'conditions' ? [] : leafLines(item, inner, depth + 1),
    ),
  ];
}

/** A container that waits has reason and message apart; together they read like the event. */
function waitingLine(value: Readonly<Record<string, unknown>>): string[] {
  const { reason, message } = value;
  return typeof reason === 'string' && typeof message === 'string' ? [`${reason}: ${message}`] : [];
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : undefined;
