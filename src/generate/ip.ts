/** An address as a number, so that ranges can be compared. */
export interface Address {
  readonly family: 4 | 6;
  readonly value: bigint;
}

/** A range `address/prefix`. */
export interface Cidr extends Address {
  readonly prefix: number;
}

const BITS = { 4: 32, 6: 128 } as const;

/** Reads an IPv4 or IPv6 address; undefined when it is neither. */
export function parseAddress(text: string): Address | undefined {
  const value = text.includes(':') ? parseV6(text) : parseV4(text);
  if (value === undefined) return undefined;
  return { family: text.includes(':') ? 6 : 4, value };
}

/** Reads `address/prefix`; undefined when it is not one. Host bits may be set. */
export function parseCidr(text: string): Cidr | undefined {
  const [, address = '', length = ''] = /^([^/]+)\/(\d{1,3})$/.exec(text) ?? [];
  const parsed = parseAddress(address);
  if (!parsed || Number(length) > BITS[parsed.family]) return undefined;
  return { ...parsed, prefix: Number(length) };
}

/** Whether all bits behind the prefix are zero, as the installer demands. */
export function isCanonical(cidr: Cidr): boolean {
  return firstOf(cidr) === cidr.value;
}

export function overlaps(a: Cidr, b: Cidr): boolean {
  return a.family === b.family && firstOf(a) <= lastOf(b) && firstOf(b) <= lastOf(a);
}

export function containsAddress(range: Cidr, address: Address): boolean {
  return (
    range.family === address.family &&
    firstOf(range) <= address.value &&
    address.value <= lastOf(range)
  );
}

export function containsRange(outer: Cidr, inner: Cidr): boolean {
  return outer.prefix <= inner.prefix && containsAddress(outer, inner);
}

/** The same range with its host bits cleared, as text. */
export function formatCidr(cidr: Cidr): string {
  return `${formatAddress({ family: cidr.family, value: firstOf(cidr) })}/${cidr.prefix}`;
}

export function formatAddress({ family, value }: Address): string {
  if (family === 4) return chunks(value, 4, 8n).join('.');
  const groups = chunks(value, 8, 16n).map((group) => group.toString(16));
  return shortenZeros(groups);
}

function hostMask(cidr: Cidr): bigint {
  return (1n << BigInt(BITS[cidr.family] - cidr.prefix)) - 1n;
}

const firstOf = (cidr: Cidr): bigint => cidr.value - (cidr.value & hostMask(cidr));
const lastOf = (cidr: Cidr): bigint => firstOf(cidr) + hostMask(cidr);

function chunks(value: bigint, count: number, bits: bigint): bigint[] {
  const mask = (1n << bits) - 1n;
  return Array.from({ length: count }, (_, i) => (value >> (BigInt(count - 1 - i) * bits)) & mask);
}

/** The longest run of two or more zero groups becomes `::` (RFC 5952). */
function shortenZeros(groups: readonly string[]): string {
  const runs = [...groups.join(':').matchAll(/\b0(?::0)+\b/g)].map(([run]) => run);
  const longest = runs.reduce((best, run) => (run.length > best.length ? run : best), '');
  if (longest === '') return groups.join(':');
  const text = groups.join(':');
  const at = text.search(new RegExp(`\\b${longest}\\b`));
  const before = text.slice(0, at).replace(/:$/, '');
  const after = text.slice(at + longest.length).replace(/^:/, '');
  return `${before}::${after}`;
}

function parseV4(text: string): bigint | undefined {
  const parts = text.split('.');
  const valid = parts.length === 4 && parts.every((part) => /^(?:0|[1-9]\d{0,2})$/.test(part));
  if (!valid || parts.some((part) => Number(part) > 255)) return undefined;
  return parts.reduce((value, part) => (value << 8n) + BigInt(part), 0n);
}

function parseV6(text: string): bigint | undefined {
  const halves = withoutDottedTail(text).split('::');
  if (halves.length > 2) return undefined;
  const [head = [], tail = []] = halves.map((half) => (half === '' ? [] : half.split(':')));
  const missing = 8 - head.length - tail.length;
  if (halves.length === 2 ? missing < 1 : missing !== 0) return undefined;
  const groups = [...head, ...Array.from({ length: missing }, () => '0'), ...tail];
  if (!groups.every((group) => /^[0-9a-fA-F]{1,4}$/.test(group))) return undefined;
  return groups.reduce((value, group) => (value << 16n) + BigInt(`0x${group}`), 0n);
}

function withoutDottedTail(text: string): string {
  const [, head = '', tail = ''] = /^(.*:)(\d+\.\d+\.\d+\.\d+)$/.exec(text) ?? [];
  const value = tail === '' ? undefined : parseV4(tail);
  if (value === undefined) return text;
  return `${head}${(value >> 16n).toString(16)}:${(value & 0xffffn).toString(16)}`;
}
