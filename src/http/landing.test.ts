import { expect, test } from 'vitest';
import { type Buffers, createBuffers, Landing } from './landing.ts';

/** Where buffers of one size come from, and which of them came back. */
function homeOf(bytes: number): Buffers & { readonly given: Buffer[] } {
  const given: Buffer[] = [];
  return { given, take: () => Buffer.alloc(bytes), give: (buffer) => given.push(buffer) };
}

/** Writes text where the next read would land. */
function read(region: Buffer, landing: Landing, text: string): void {
  region.write(text, 'latin1');
  landing.landed(text.length);
}

test('Landing lays small reads side by side and gives them out as one', () => {
  const landing = new Landing(() => createBuffers(16, 4), 4);

  read(landing.next(0), landing, 'abc');
  read(landing.next(0), landing, 'def');

  expect(landing.collect().bytes.toString()).toBe('abcdef');
  expect(landing.pending).toBe(0);
});

test('Landing keeps the place of a read that was announced before the rest was collected', () => {
  const landing = new Landing(() => createBuffers(16, 4), 4);
  read(landing.next(0), landing, 'abc');
  const announced = landing.next(0);

  const first = landing.collect();
  read(announced, landing, 'def');
  const second = landing.collect();

  expect([first.bytes.toString(), second.bytes.toString()]).toEqual(['abc', 'def']);
});

test('Landing gives a buffer back only when nobody uses any part of it', () => {
  const buffers = homeOf(8);
  const landing = new Landing(() => buffers, 4);
  read(landing.next(0), landing, 'abc');
  const first = landing.collect();
  read(landing.next(0), landing, 'def');
  const second = landing.collect();

  first.release();
  landing.next(0);
  expect(buffers.given).toEqual([]);
  second.release();

  expect(buffers.given).toHaveLength(1);
});

test('Landing takes a large buffer only when much is to come, and gives each back where it is from', () => {
  const [small, large] = [homeOf(4), homeOf(16)];
  const landing = new Landing(
    (expected) => (expected > 4 ? large : small),
    Number.POSITIVE_INFINITY,
  );

  const sizes = [0, 5, 4].map((expected) => {
    const region = landing.next(expected);
    read(region, landing, 'ab');
    landing.collect().release();
    return region.length;
  });

  expect(sizes).toEqual([4, 16, 4]);
  expect([small.given.length, large.given.length]).toEqual([1, 1]);
});
