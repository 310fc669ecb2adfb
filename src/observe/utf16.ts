import { peek } from './source-files.ts';

/** Text as UTF-8, whatever Windows saved it as: a mark at the start, or every other byte zero, tells UTF-16. */
export async function* asUtf8(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  const { head, content } = await peek(chunks);
  const encoding = encodingOf(head);
  if (!encoding) {
    yield* content;
    return;
  }
  const decoder = new TextDecoder(encoding);
  for await (const chunk of content) yield Buffer.from(decoder.decode(chunk, { stream: true }));
}

function encodingOf(head: Buffer): 'utf-16le' | 'utf-16be' | undefined {
  if (head[0] === 0xff && head[1] === 0xfe) return 'utf-16le';
  if (head[0] === 0xfe && head[1] === 0xff) return 'utf-16be';
  const start = head.subarray(0, 64);
  if (start.length < 8) return undefined;
  const isZero = (odd: number) => start.every((byte, at) => at % 2 !== odd || byte === 0);
  const isText = (odd: number) => start.every((byte, at) => at % 2 !== odd || byte !== 0);
  if (isZero(1) && isText(0)) return 'utf-16le';
  return isZero(0) && isText(1) ? 'utf-16be' : undefined;
}
