import type { ByteRange } from '../../store/store.ts';

const ONE_RANGE = /^bytes=(\d{0,15})-(\d{0,15})$/;
const CONTENT_RANGE = /^(?:bytes )?(\d{1,15})-(\d{1,15})(?:\/(?:\d{1,15}|\*))?$/;

/**
 * Which bytes a `Range` header asks for. Undefined means all of them, which is the right answer
 * to no header, to one that cannot be read, and to several ranges at once (RFC 9110, 14.2).
 */
export function parseRange(
  header: string | undefined,
  size: number,
): ByteRange | 'unsatisfiable' | undefined {
  const [, first, last] = (header && ONE_RANGE.exec(header)) || [];
  if (first === undefined || last === undefined || (first === '' && last === '')) return undefined;
  if (first === '') return suffix(Number(last), size);
  const start = Number(first);
  const end = last === '' ? size - 1 : Math.min(Number(last), size - 1);
  return start >= size || start > end ? 'unsatisfiable' : { start, end };
}

function suffix(length: number, size: number): ByteRange | 'unsatisfiable' {
  if (length === 0 || size === 0) return 'unsatisfiable';
  return { start: Math.max(0, size - length), end: size - 1 };
}

/** The `Content-Range` of an upload: `0-1023`; some clients write it as a response would. */
export function parseContentRange(header: string): ByteRange | undefined {
  const [, first, last] = CONTENT_RANGE.exec(header) ?? [];
  if (first === undefined || last === undefined) return undefined;
  return { start: Number(first), end: Number(last) };
}
