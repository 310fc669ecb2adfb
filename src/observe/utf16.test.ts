import { expect, test } from 'vitest';
import { asUtf8 } from './utf16.ts';

async function textOf(bytes: Buffer, size = 600): Promise<string> {
  async function* chunks() {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
  }
  const parts: Buffer[] = [];
  for await (const part of asUtf8(chunks())) parts.push(part);
  return Buffer.concat(parts).toString();
}

const little = (text: string) => Buffer.from(text, 'utf16le');
const big = (text: string) => little(text).swap16();
const LINE = 'no space left on device, größer\n';

test('asUtf8 knows UTF-16 by its mark, in either order of bytes', async () => {
  expect(await textOf(little(`\ufeff${LINE}`))).toBe(LINE);
  expect(await textOf(big(`\ufeff${LINE}`))).toBe(LINE);
  expect(await textOf(little('\ufeffa'))).toBe('a');
});

test('asUtf8 knows UTF-16 without a mark where every other byte is zero', async () => {
  expect(await textOf(little('plain text'))).toBe('plain text');
  expect(await textOf(big('plain text'))).toBe('plain text');
  expect(await textOf(little('text'))).toBe('text');
});

test('asUtf8 puts characters together that were cut in two', async () => {
  const text = LINE.repeat(50);

  expect(await textOf(little(`\ufeff${text}`), 601)).toBe(text);
});

test.each([
  ['text as it is', Buffer.from(LINE)],
  ['too little to tell', little('ab')],
  ['a mark that is half', Buffer.from([0xff, 0x41, 0xfe, 0x42])],
  ['the other half', Buffer.from([0xfe, 0x41, 0xff, 0x42])],
  ['zeros in one half only now and then', Buffer.from([65, 0, 66, 67, 68, 0, 69, 0, 70, 0])],
  ['zeros in both halves', Buffer.from([65, 0, 0, 0, 68, 0, 69, 0, 70, 0])],
  ['nothing but zeros', Buffer.alloc(20)],
])('asUtf8 leaves %s alone', async (_, bytes) => {
  expect(await textOf(bytes)).toBe(bytes.toString());
});
