import type { AtollEvent } from '../../core/events.ts';
import type { Style } from '../command.ts';
import { eventText, isTold } from './event-text.ts';
import { progressLine } from './progress-line.ts';
import type { Reporter, Screen, Verbosity } from './reporter.ts';
import { type Task, withEvent } from './tasks.ts';
import { displayWidth } from './width.ts';

/** A terminal is drawn at most this often: more is flicker and wasted work. */
const REDRAW_MS = 100;
const MOST_LINES = 12;

export interface PrettyOptions {
  readonly screen: Screen;
  readonly style: Style;
  readonly verbosity: Verbosity;
  readonly nowMs: () => number;
}

/**
 * For terminals: lines that stay scroll by, and below them one live line for each task under way.
 *
 *   ✓ release 4.18.1: 190 images
 *   operators   ████████░░░░░░░░  52%  412/790  31.0 GiB of 60.2 GiB  88.1 MiB/s  ETA 5m 51s
 */
export function prettyReporter(options: PrettyOptions): Reporter {
  return new PrettyReporter(options);
}

class PrettyReporter implements Reporter {
  readonly #options: PrettyOptions;
  #tasks: ReadonlyMap<string, Task> = new Map();
  #lines: string[] = [];
  #drawn: readonly string[] = [];
  #drawnAtMs = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;
  #state: 'live' | 'paused' | 'closed' = 'live';

  constructor(options: PrettyOptions) {
    this.#options = options;
  }

  readonly report = (event: AtollEvent): void => {
    if (this.#state === 'closed') return;
    if (this.#isLine(event)) this.#lines.push(eventText(event, this.#options.style));
    this.#tasks = withEvent(this.#tasks, event, this.#options.nowMs());
    if (this.#state === 'live') this.#drawSoon();
  };

  readonly pause = (): void => {
    this.#draw(false);
    if (this.#state === 'live') this.#state = 'paused';
  };

  readonly resume = (): void => {
    if (this.#state !== 'paused') return;
    this.#state = 'live';
    this.#draw(true);
  };

  readonly close = (): void => {
    if (this.#state !== 'closed') this.#draw(false);
    this.#state = 'closed';
  };

  /** While a task counts images, a line for each of them would only push the rest away. */
  #isLine(event: AtollEvent): boolean {
    const { verbosity } = this.#options;
    const counted = event.type === 'image.copied' || event.type === 'image.skipped';
    if (counted && verbosity !== 'verbose' && this.#tasks.size > 0) return false;
    return isTold(event, verbosity);
  }

  #drawSoon(): void {
    const waitMs = REDRAW_MS - (this.#options.nowMs() - this.#drawnAtMs);
    if (waitMs <= 0) this.#draw(true);
    else this.#timer ??= setTimeout(() => this.#draw(true), waitMs).unref();
  }

  /** Writes the lines that stay and, if asked, the live ones again below them: one write, no flicker. */
  #draw(withLive: boolean): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const live = withLive && this.#options.verbosity !== 'quiet' ? this.#liveLines() : [];
    const rows = this.#rowsOf(this.#drawn);
    const up = rows > 0 ? `\x1b[${rows}A\r\x1b[J` : '';
    const text = [...this.#lines, ...live].map((line) => `${line}\n`).join('');
    if (up !== '' || text !== '') this.#options.screen.write(up + text);
    this.#lines = [];
    this.#drawn = live;
    this.#drawnAtMs = this.#options.nowMs();
  }

  /** A window that has become narrower shows a line in several rows. One of 0 columns does not know its size. */
  #rowsOf(lines: readonly string[]): number {
    const columns = this.#options.screen.columns || Number.POSITIVE_INFINITY;
    return lines.reduce(
      (rows, line) => rows + Math.max(1, Math.ceil(displayWidth(line) / columns)),
      0,
    );
  }

  #liveLines(): string[] {
    const { screen, style } = this.#options;
    // The last column stays free: some terminals wrap when it is written.
    const columns = Math.max(10, (screen.columns || 80) - 1);
    const most = Math.max(1, Math.min(MOST_LINES, (screen.rows || 24) - 2));
    const tasks = [...this.#tasks.values()];
    const shown = tasks.slice(0, tasks.length > most ? most - 1 : most);
    const lines = shown.map((task) => progressLine(task, columns, style));
    const hidden = tasks.length - shown.length;
    return hidden > 0 ? [...lines, style.dim(`… and ${hidden} more`)] : lines;
  }
}
