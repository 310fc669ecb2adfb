import { createHash } from 'node:crypto';
import { byFirst } from '../core/order.ts';
import type { Json, JsonObject } from './step.ts';

/** The same text for the same value, whatever the order of its keys. */
function canonicalJson(value: Json | undefined): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value ?? null);
  const entries = Object.entries(value as JsonObject)
    .filter(([, inner]) => inner !== undefined)
    .toSorted(byFirst)
    .map(([key, inner]) => `${JSON.stringify(key)}:${canonicalJson(inner)}`);
  return `{${entries.join(',')}}`;
}

export function hashOf(value: Json | undefined): string {
  return createHash('sha256').update(canonicalJson(value)).digest('hex').slice(0, 32);
}

/** One hash per field: enough to say what changed, without keeping a value that may be secret. */
export function fieldHashes(value: JsonObject): Record<string, string> {
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, inner]) => inner !== undefined)
      .map(([key, inner]) => [key, hashOf(inner)]),
  );
}

/** Names of the fields that differ between two sets of hashes, sorted. */
export function changedFields(
  before: Readonly<Record<string, string>>,
  after: Readonly<Record<string, string>>,
): string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].filter((name) => before[name] !== after[name]).toSorted();
}
