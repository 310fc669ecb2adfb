const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'] as const;

/** `1.5 GiB`: three significant digits at most, binary units. */
export function formatBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  // Not 1024: what would be rounded up to it reads better in the next unit.
  while (value >= 1023.5 && unit < UNITS.length - 1) {
    value /= 1024;
    unit += 1;
  }
  const digits = unit === 0 || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
  return `${value.toFixed(digits)} ${UNITS[unit]}`;
}

export function formatRate(bytesPerSecond: number): string {
  return `${formatBytes(bytesPerSecond)}/s`;
}

/** `45 ms`, `3.2 s`, `4m 05s`, `2h 07m`. */
export function formatDuration(ms: number): string {
  if (Math.round(ms) < 1000) return `${Math.round(ms)} ms`;
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  const pad = (value: number) => String(value).padStart(2, '0');
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m ${pad(seconds % 60)}s`;
  return `${Math.floor(seconds / 3600)}h ${pad(Math.floor((seconds % 3600) / 60))}m`;
}

/** `1 image`, `2 images`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** A command line as it can be pasted into a shell. */
export function shellLine(words: readonly string[]): string {
  const quoted = (word: string) =>
    /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
  return words.map(quoted).join(' ');
}

const SIZE = /^(?<number>\d+(?:\.\d+)?)\s*(?<unit>[KMGTP]?)(?:i?B)?$/i;

/** Reads `500`, `64K`, `1.5GiB`; undefined when it is not a size. Units are binary. */
export function parseBytes(text: string): number | undefined {
  const parts = SIZE.exec(text.trim())?.groups;
  if (!parts) return undefined;
  const power = parts.unit ? 'KMGTP'.indexOf(parts.unit.toUpperCase()) + 1 : 0;
  return Math.round(Number(parts.number) * 1024 ** power);
}

const SPAN = /^(?<number>\d+(?:\.\d+)?)\s*(?<unit>[smhdw])$/;
const SPAN_MS = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;

/** Reads `90s`, `15m`, `12h`, `7d`, `2w`; undefined when it is no length of time. */
export function parseSpan(text: string): number | undefined {
  const parts = SPAN.exec(text.trim())?.groups;
  if (!parts) return undefined;
  return Math.round(Number(parts.number) * SPAN_MS[parts.unit as keyof typeof SPAN_MS]);
}

/** To put a sentence of somebody else behind our own words. */
export function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
