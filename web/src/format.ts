export { formatBytes, formatDuration } from '../../src/core/format.ts';

const two = (value: number) => String(value).padStart(2, '0');

/** `10:42` of the day at hand, or `10:42:07`. */
export function clockOf(ms: number, exact = false): string {
  const date = new Date(ms);
  const seconds = exact ? `:${two(date.getSeconds())}` : '';
  return `${two(date.getHours())}:${two(date.getMinutes())}${seconds}`;
}

/** `2026-11-16 10:42`, in the time of whoever looks. */
export function dateOf(at: string): string {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return '';
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day} ${clockOf(date.getTime())}`;
}

/** `sha256:1234abcd…`: enough to tell digests apart by eye. */
export function shortDigest(digest: string): string {
  return digest.replace(/^(sha\d+:[0-9a-f]{12})[0-9a-f]+$/, '$1…');
}

/** The last part of a repository: what people call an image. */
export function imageName(reference: string): string {
  return reference.replace(/@sha\d+:[0-9a-f]+$/, '').replace(/^.*\//, '');
}
