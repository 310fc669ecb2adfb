import { expect, test } from 'vitest';
import type { PlainReading } from '../../src/observe/plain/plain-reading.ts';
import { readPlainly } from '../../src/observe/plain/read-plainly.ts';

/** What a program says, and what is made of it; `lead` stands on the line before, where that matters. */
export interface SaidLine {
  readonly line: string;
  readonly id: string;
  readonly cause: string;
  readonly lead?: string | undefined;
}

/** A table of such lines: of each reading that is named at least one must be there, and of no other. */
export function testSaidLines(said: readonly SaidLine[], readings: readonly PlainReading[]): void {
  test.each(said)('readPlainly takes $line for $id', ({ line, id, cause, lead }) => {
    const reading = readPlainly(line, lead);

    expect(reading?.id).toBe(id);
    expect(reading?.cause).toContain(cause);
    expect(reading?.remedy).not.toBe('');
  });

  test('readPlainly has a line for each reading of these tables', () => {
    const ids = readings.map(({ id }) => id);

    expect([...new Set(said.map(({ id }) => id))].toSorted()).toEqual(ids.toSorted());
  });
}

/** Words that are near to those, of another cause or of none. */
export function testNearLines(near: readonly (readonly [line: string, id?: string])[]): void {
  const cases = near.map(([line, id]) => ({ line, id }));
  test.each(cases)('readPlainly takes $line for none of these', ({ line, id }) => {
    expect(readPlainly(line)?.id).toBe(id);
  });
}
