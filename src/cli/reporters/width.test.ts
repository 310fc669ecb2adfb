import { expect, test } from 'vitest';
import { clip, displayWidth, padded } from './width.ts';

test('displayWidth counts wide characters twice and escape sequences not at all', () => {
  expect(displayWidth('mirror')).toBe(6);
  expect(displayWidth('镜像')).toBe(4);
  expect(displayWidth('\x1b[32mok\x1b[39m')).toBe(2);
});

test('clip keeps what fits and marks what it cut, also between wide characters', () => {
  expect(clip('operators', 20)).toBe('operators');
  expect(clip('operators', 5)).toBe('oper…');
  expect(clip('离线镜像仓库', 5)).toBe('离线…');
  expect(clip('operators', 0)).toBe('');
});

test('padded is exactly as wide as asked', () => {
  for (const text of ['', 'a', '镜像', 'a long title of a task']) {
    expect(displayWidth(padded(text, 9))).toBe(9);
  }
});
