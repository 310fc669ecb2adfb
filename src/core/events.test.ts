import { expect, test } from 'vitest';
import { eventOfLine, eventSchema, recordedEventSchema } from './events.ts';
import { publishedSchema } from './json-schema.ts';

const NOTE = { type: 'note.added', message: 'x' };
const AT = '2026-01-02T03:04:05Z';

test('recordedEventSchema takes an event with its number and time, counted from one', () => {
  const outcomes = [1, 0, 1.5].map(
    (seq) => recordedEventSchema.safeParse({ ...NOTE, seq, at: AT }).success,
  );

  expect(outcomes).toEqual([true, false, false]);
  expect(recordedEventSchema.safeParse({ ...NOTE, seq: 1 }).success).toBe(false);
});

test('eventSchema refuses an event nobody knows, and one that lacks a field', () => {
  for (const event of [{ type: 'note.made', message: 'x' }, { type: 'note.added' }]) {
    expect(eventSchema.safeParse(event).success).toBe(false);
  }
});

test('publishedSchema names and describes what is written', () => {
  expect(publishedSchema('event', 'An event', eventSchema)).toMatchObject({
    $id: 'urn:atoll:schema:event:1',
    title: 'An event',
    oneOf: expect.any(Array),
  });
});

test('eventOfLine takes events, without number and time, and nothing else', () => {
  const event = { type: 'note.added', message: 'hello' };

  expect(eventOfLine(JSON.stringify({ seq: 1, at: 'now', ...event }))).toEqual(event);
  for (const line of ['unshare: denied', '{"type":"note.added"}', '{"type":"made.up"}', 'null']) {
    expect(eventOfLine(line)).toBeUndefined();
  }
});
