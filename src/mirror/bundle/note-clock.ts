/** After so many bytes, or so long, an unfinished blob is noted: little of it has to come again. */
const NOTE_BYTES = 4 * 1024 * 1024;
const NOTE_MS = 25;

/** Says when progress is worth a note: often on a slow link, seldom on a quick one. */
export class NoteClock {
  #bytes: number;
  #at = performance.now();

  constructor(startBytes: number) {
    this.#bytes = startBytes;
  }

  isDue(bytes: number): boolean {
    const now = performance.now();
    if (bytes - this.#bytes < NOTE_BYTES && now - this.#at < NOTE_MS) return false;
    this.#bytes = bytes;
    this.#at = now;
    return true;
  }
}
