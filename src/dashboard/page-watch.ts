import { join } from 'node:path';
import { readAsset } from '../core/assets.ts';
import type { Context } from '../core/context.ts';
import type { RecordedEvent } from '../core/events.ts';
import { redactJson } from '../core/redact.ts';
import { EventFollower } from '../workflow/follow-events.ts';
import type { PageData, SectionName } from './model/page-data.ts';
import { addEvent, endRun, newRunState, type RunState } from './model/run-state.ts';
import { readRun, runNames, usualsOf } from './sections/runs.ts';
import { type SectionReaders, sectionReaders } from './sections/sections.ts';
import type { Watched } from './watched.ts';

/** Events kept for pages that reconnect; after a longer break a page gets the whole run. */
const KEPT_EVENTS = 5000;
const TICK_MS = 300;

export type WatchChange =
  | { readonly kind: 'event'; readonly run: string; readonly event: RecordedEvent }
  | { readonly kind: 'run'; readonly run: RunState }
  | { readonly kind: 'section'; readonly name: SectionName; readonly value: unknown };

/** The page of what is looked at, kept true while others work on it. Nothing in it is changed. */
export class PageWatch {
  readonly #ctx: Context;
  readonly #watched: Watched;
  readonly #listeners = new Set<(change: WatchChange) => void>();
  readonly #readers: SectionReaders;
  #page: PageData;
  #follower: EventFollower | undefined;
  #events: RecordedEvent[] = [];
  #timer: NodeJS.Timeout | undefined;
  #paused = false;
  readonly #end = new AbortController();

  constructor(ctx: Context, watched: Watched) {
    // Events of our own reading are not shown to the user, and the signal of the command does not end it: the end of an interrupted run is to be seen.
    this.#ctx = { ...ctx, emit: () => undefined, signal: this.#end.signal };
    this.#watched = watched;
    this.#readers = sectionReaders(watched.sections(this.#ctx, () => this.#page));
    this.#page = emptyPage(ctx, watched);
  }

  /** The page as it is now. */
  get page(): PageData {
    return { ...this.#page, at: this.#ctx.now().toISOString() };
  }

  /** Reads everything once, then goes on by itself until it is closed. */
  async start(): Promise<void> {
    await this.readAll();
    const again = async () => {
      await this.#tick().catch(() => undefined);
      if (!this.#paused) this.#timer = setTimeout(again, TICK_MS);
    };
    this.#timer = setTimeout(again, TICK_MS);
  }

  async readAll(): Promise<PageData> {
    await this.#watched.registerSecrets();
    await this.#readEvents();
    await this.#readSections(true);
    return this.page;
  }

  onChange(listener: (change: WatchChange) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** What came after this event, or undefined when that is not known any more. */
  eventsAfter(run: string, seq: number): readonly RecordedEvent[] | undefined {
    const current = this.#page.run;
    if (!current || current.run !== run || seq > current.seq) return undefined;
    const first = this.#events[0]?.seq ?? current.seq + 1;
    return seq + 1 < first ? undefined : this.#events.filter((event) => event.seq > seq);
  }

  async pastRun(run: string): Promise<RunState | undefined> {
    const { runs, stages } = this.#watched;
    if (!(await runNames(runs)).includes(run)) return undefined;
    const state = await readRun(runs, run, stages);
    if (state.outcome === 'running' && run !== this.#page.run?.run) endRun(state, 'interrupted');
    return redactJson(state);
  }

  /** Reads only when asked to. */
  pause(): void {
    this.#paused = true;
    clearTimeout(this.#timer);
  }

  async close(): Promise<void> {
    this.pause();
    this.#end.abort(new Error('the page is closed'));
    await this.#watched.close();
  }

  async #tick(): Promise<void> {
    await this.#readEvents();
    await this.#readSections(false);
  }

  async #readEvents(): Promise<void> {
    const { runs } = this.#watched;
    const [newest] = await runNames(runs);
    if (newest === undefined) return;
    if (newest !== this.#page.run?.run) this.#begin(newest, join(runs, newest));
    const run = this.#page.run as RunState;
    for (const event of (await this.#follower?.read()) ?? []) {
      const clean = redactJson(event);
      addEvent(run, clean);
      this.#keep(clean);
      this.#tell({ kind: 'event', run: newest, event: clean });
    }
    await this.#noteDeath(run);
  }

  #begin(name: string, folder: string): void {
    this.#follower = new EventFollower(folder);
    this.#events = [];
    const run = { ...newRunState(this.#watched.stages), run: name, site: this.#watched.facts.name };
    this.#page = { ...this.#page, run };
    this.#tell({ kind: 'run', run });
  }

  #keep(event: RecordedEvent): void {
    this.#events.push(event);
    if (this.#events.length > KEPT_EVENTS * 2) this.#events = this.#events.slice(-KEPT_EVENTS);
  }

  /** A process that was killed could not say that it ended. */
  async #noteDeath(run: RunState): Promise<void> {
    if (run.outcome !== 'running' || (await this.#watched.isWorkedOn())) return;
    endRun(run, 'interrupted');
    this.#tell({ kind: 'run', run });
  }

  async #readSections(all: boolean): Promise<void> {
    for await (const { name, value } of this.#readers.changed(all)) {
      this.#page = { ...this.#page, [name]: value };
      this.#tell({ kind: 'section', name, value });
    }
  }

  #tell(change: WatchChange): void {
    for (const listener of this.#listeners) listener(change);
  }
}

function emptyPage(ctx: Pick<Context, 'now'>, { facts, views }: Watched): PageData {
  return {
    version: readAsset('version.txt').trim(),
    at: ctx.now().toISOString(),
    site: facts,
    views,
    run: undefined,
    usuals: usualsOf([]),
    runs: [],
    images: undefined,
    findings: undefined,
    nodes: undefined,
    bootstrap: undefined,
    cluster: undefined,
    mirror: undefined,
    config: undefined,
    rehearsal: undefined,
  };
}
