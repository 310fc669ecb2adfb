import { join } from 'node:path';
import type { Context } from '../core/context.ts';
import type { RecordedEvent } from '../core/events.ts';
import { isLocked } from '../core/lock.ts';
import { redactJson } from '../core/redact.ts';
import type { Site } from '../site/read-site.ts';
import { sitePaths } from '../site/site-paths.ts';
import { registerSecrets } from '../site/stages/secrets.ts';
import { EventFollower } from '../workflow/follow-events.ts';
import type { PageData, SectionName } from './model/page-data.ts';
import { addEvent, newRunState, type RunState } from './model/run-state.ts';
import { readRun, runNames } from './sections/runs.ts';
import { emptyPage, type SectionReaders, sectionReaders, stageNames } from './sections/sections.ts';

/** Events kept for pages that come back; who was away for longer gets the run as a whole. */
const KEPT_EVENTS = 5000;
const TICK_MS = 300;

export type WatchChange =
  | { readonly kind: 'event'; readonly run: string; readonly event: RecordedEvent }
  | { readonly kind: 'run'; readonly run: RunState }
  | { readonly kind: 'section'; readonly name: SectionName; readonly value: unknown };

/** A site that is looked at while others work on it. Nothing in it is changed. */
export class SiteWatch {
  readonly #ctx: Context;
  readonly #site: Site;
  readonly #listeners = new Set<(change: WatchChange) => void>();
  readonly #readers: SectionReaders;
  #page: PageData;
  #follower: EventFollower | undefined;
  #events: RecordedEvent[] = [];
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(ctx: Context, site: Site) {
    // What reading sections would tell is not news to whoever started the dashboard.
    this.#ctx = { ...ctx, emit: () => undefined };
    this.#site = site;
    this.#readers = sectionReaders(this.#ctx, site, () => this.#page);
    this.#page = emptyPage(ctx, site);
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
      if (!this.#closed) this.#timer = setTimeout(again, TICK_MS);
    };
    this.#timer = setTimeout(again, TICK_MS);
  }

  async readAll(): Promise<PageData> {
    await registerSecrets(sitePaths(this.#site));
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
    const { runs } = sitePaths(this.#site);
    if (!(await runNames(runs)).includes(run)) return undefined;
    return redactJson(await readRun(runs, run, stageNames()));
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
  }

  async #tick(): Promise<void> {
    await this.#readEvents();
    await this.#readSections(false);
  }

  async #readEvents(): Promise<void> {
    const { runs, lock } = sitePaths(this.#site);
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
    await this.#noteDeath(run, lock);
  }

  #begin(name: string, folder: string): void {
    this.#follower = new EventFollower(folder);
    this.#events = [];
    const run = { ...newRunState(stageNames()), run: name, site: this.#site.name };
    this.#page = { ...this.#page, run };
    this.#tell({ kind: 'run', run });
  }

  #keep(event: RecordedEvent): void {
    this.#events.push(event);
    if (this.#events.length > KEPT_EVENTS * 2) this.#events = this.#events.slice(-KEPT_EVENTS);
  }

  /** A process that was killed could not say that it ended. */
  async #noteDeath(run: RunState, lock: string): Promise<void> {
    if (run.outcome !== 'running' || (await isLocked(lock))) return;
    run.outcome = 'interrupted';
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
