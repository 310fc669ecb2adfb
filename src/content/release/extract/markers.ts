import { AtollError } from '../../../core/errors.ts';

/**
 * A place in a program that `oc adm release extract` fills in: a NUL, a name, a NUL, many `X`, a NUL.
 * The value goes to its start, and a NUL ends it.
 */
export interface Marker {
  readonly name: '_RELEASE_IMAGE_LOCATION_' | '_RELEASE_VERSION_LOCATION_';
  readonly value: string;
}

export interface MarkerResult {
  /** Names that were not found; only complete when the stream has ended. */
  readonly missing: () => readonly Marker['name'][];
  readonly chunks: AsyncIterable<Uint8Array>;
}

/** Longer than any marker: this much is held back so that none is cut in two. */
const LONGEST_MARKER = 2048;
/** Fewer are a mention of the name, not the place. */
const FEWEST_PADDING = 16;
const X = 'X'.charCodeAt(0);

/** Fills in the first place of each marker while the bytes go by. The length does not change. */
export function fillMarkers(
  chunks: AsyncIterable<Uint8Array>,
  markers: readonly Marker[],
): MarkerResult {
  const open = new Set(markers);
  async function* filled(): AsyncGenerator<Uint8Array> {
    let held = Buffer.alloc(0);
    for await (const chunk of chunks) {
      held = Buffer.concat([held, chunk]);
      fillAll(held, open);
      const ready = held.length - (open.size === 0 ? 0 : LONGEST_MARKER);
      if (ready <= 0) continue;
      yield held.subarray(0, ready);
      held = held.subarray(ready);
    }
    yield held;
  }
  return { missing: () => [...open].map(({ name }) => name), chunks: filled() };
}

function fillAll(bytes: Buffer, open: Set<Marker>): void {
  for (const marker of open) if (fill(bytes, marker)) open.delete(marker);
}

function fill(bytes: Buffer, { name, value }: Marker): boolean {
  const head = Buffer.from(`\0${name}\0`, 'latin1');
  for (let at = bytes.indexOf(head); at >= 0; at = bytes.indexOf(head, at + 1)) {
    const end = endOfPadding(bytes, at + head.length);
    if (end === undefined) continue;
    const room = end - at;
    if (value.length > room) throw tooLong(name, value, room);
    bytes.write(`${value}\0`, at, 'latin1');
    return true;
  }
  return false;
}

/** Where the closing NUL is; undefined when this is not a whole marker. */
function endOfPadding(bytes: Buffer, start: number): number | undefined {
  let at = start;
  while (bytes[at] === X) at += 1;
  return at - start >= FEWEST_PADDING && bytes[at] === 0 ? at : undefined;
}

function tooLong(name: string, value: string, room: number): AtollError {
  return new AtollError(
    'INPUT_INVALID',
    `Cannot write "${value}" into the program: ${name} has room for ${room} characters, not ${value.length}`,
    { hint: 'Give the mirror a shorter host name or path' },
  );
}
