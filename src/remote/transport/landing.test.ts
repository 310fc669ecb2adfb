import { expect, test } from 'vitest';
import { createBuffers } from './buffers.ts';
import { Landing } from './landing.ts';

/** Writes text where the next read would land. */
function read(region: Buffer, landing: Landing, text: string): void {
  region.write(text, 'latin1');
  landing.landed(text.length);
}

test('Landing lays small reads side by side and gives them out as one', () => {
  const landing = new Landing(createBuffers(16, 4), 4);

  read(landing.next(), landing, 'abc');
  read(landing.next(), landing, 'def');

  expect(landing.collect().bytes.toString()).toBe('abcdef');
  expect(landing.pending).toBe(0);
});

test('Landing keeps the place of a read that was announced before the rest was collected', () => {
  const landing = new Landing(createBuffers(16, 4), 4);
  read(landing.next(), landing, 'abc');
  const announced = landing.next();

  const first = landing.collect();
  read(announced, landing, 'def');
  const second = landing.collect();

  expect([first.bytes.toString(), second.bytes.toString()]).toEqual(['abc', 'def']);
});

test('Landing gives a buffer back only when nobody uses any part of it', () => {
  const given: Buffer[] = [];
  const buffers = { take: () => Buffer.alloc(8), give: (buffer: Buffer) => given.push(buffer) };
  const landing = new Landing(buffers, 4);
  read(landing.next(), landing, 'abc');
  const first = landing.collect();
  read(landing.next(), landing, 'def');
  const second = landing.collect();

  first.release();
  landing.next();
  expect(given).toEqual([]);
  second.release();

  expect(given).toHaveLength(1);
});
