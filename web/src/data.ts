import { computed, signal } from '@preact/signals';
import type { RecordedEvent } from '../../src/core/events.ts';
import type { PageData, SectionName } from '../../src/dashboard/model/page-data.ts';
import { addEvent, type RunState } from '../../src/dashboard/model/run-state.ts';
import { sentenceOf } from '../../src/dashboard/model/sentence.ts';

interface LivePage extends PageData {
  /** Served, so that more will come; a file has all it will ever have. */
  readonly live?: boolean;
}

const given = document.getElementById('atoll-data')?.textContent ?? '';
const initial = (given === '' ? undefined : JSON.parse(given)) as LivePage | undefined;

export const page = signal(initial);
export const connection = signal<'live' | 'lost' | 'file'>(initial?.live ? 'live' : 'file');
/** An earlier run that is looked at instead of the last one. */
export const past = signal<RunState | undefined>(undefined);
export const run = computed(() => past.value ?? page.value?.run);

const fixedNow = Date.parse(initial?.at ?? '');
export const now = signal(initial?.live ? Date.now() : fixedNow);

export const sentence = computed(() =>
  sentenceOf(run.value, page.value?.usuals ?? {}, past.value ? fixedNow : now.value),
);

/** Follows what the server tells, until the page is closed. */
export function follow(): void {
  if (!initial?.live) return;
  setInterval(() => {
    now.value = Date.now();
  }, 1000);
  const last = initial.run;
  const source = new EventSource(`/events?after=${last ? `${last.run}/${last.seq}` : ''}`);
  source.onopen = () => {
    connection.value = 'live';
  };
  source.onerror = () => {
    connection.value = 'lost';
    // The browser tries again by itself, unless it was told that it may not come in.
    if (source.readyState === EventSource.CLOSED) setTimeout(follow, 3000);
  };
  source.onmessage = ({ data }) => take(JSON.parse(data) as RecordedEvent);
  source.addEventListener('run', ({ data }) => patch({ run: JSON.parse(data) as RunState }));
  source.addEventListener('section', ({ data }) => {
    const { name, value } = JSON.parse(data) as { name: SectionName; value: unknown };
    patch({ [name]: value ?? undefined });
  });
}

function patch(change: Partial<PageData>): void {
  if (page.value) page.value = { ...page.value, ...change };
}

let waiting: RecordedEvent[] = [];

/** Thousands may come at once: they are taken together, before the next picture is drawn. */
function take(event: RecordedEvent): void {
  if (waiting.length === 0) setTimeout(takeAll, 50);
  waiting.push(event);
}

function takeAll(): void {
  const state = page.value?.run;
  if (state) {
    for (const event of waiting) addEvent(state, event);
    // What is drawn is drawn anew only for new objects, and events change those that are there.
    patch({
      run: {
        ...state,
        images: [...state.images],
        stages: state.stages.map((stage) => ({ ...stage })),
        parts: state.parts.map((part) => ({ ...part, history: [...part.history] })),
      },
    });
  }
  waiting = [];
}

/** Shows an earlier run; undefined for the last one. */
export async function showRun(name: string | undefined): Promise<void> {
  if (name === undefined || name === page.value?.run?.run) {
    past.value = undefined;
    return;
  }
  const answer = await fetch(`/runs/${name}`);
  if (answer.ok) past.value = (await answer.json()) as RunState;
}
