import type { EventOf, RecordedEvent } from '../../core/events.ts';

/** How a stage stands in a run. */
export type StageProgress =
  | 'waiting'
  | 'running'
  | 'done'
  | 'skipped'
  | 'failed'
  | 'interrupted'
  | 'not-run';

export interface StageState {
  readonly id: string;
  title: string;
  state: StageProgress;
  startedAt?: string;
  durationMs?: number;
  /** Why it ran, or why it did not. */
  reason?: string;
  message?: string;
  hint?: string;
  code?: string;
}

export interface TaskState {
  readonly task: string;
  readonly title: string;
  readonly startedAt: string;
  readonly totalBytes?: number;
  readonly totalItems?: number;
}

/** Bytes and blobs of one way an image's content came to the mirror. */
export interface ContentTotals {
  blobs: number;
  bytes: number;
}

export interface ImageEvent {
  readonly source: string;
  readonly target: string;
  readonly outcome: 'copied' | 'skipped' | 'failed';
  readonly digest?: string;
  readonly sizeBytes?: number;
  readonly copiedBytes?: number;
  readonly message?: string;
}

/** Something worth a line: a warning, a note, a retry. */
export interface Remark {
  readonly at: string;
  readonly kind: 'warning' | 'note' | 'retry';
  readonly message: string;
  readonly hint?: string;
}

/** Bytes over time, in slots of the same width: `values[i]` is what came in slot `i`. */
export interface ByteSeries {
  /** Milliseconds since 1970. */
  startMs: number;
  slotMs: number;
  values: number[];
}

/**
 * A run as its events tell it. The server folds the journal into one; the page goes on from there
 * with the events that follow, by the same function.
 */
export interface RunState {
  run: string;
  site: string;
  /** Number of the last event in here. */
  seq: number;
  startedAt: string;
  /** When the last event came: what has been silent for long does not move. */
  lastAt: string;
  outcome: 'running' | 'succeeded' | 'failed' | 'interrupted';
  durationMs: number;
  stages: StageState[];
  tasks: TaskState[];
  copied: ContentTotals;
  reused: ContentTotals;
  mounted: ContentTotals;
  /** Bytes that moved into the mirror. */
  moved: ByteSeries;
  images: ImageEvent[];
  remarks: Remark[];
  files: string[];
  /** Operators, nodes, members of etcd and requests, as the wait for the cluster saw them. */
  parts: PartHistory[];
}

export interface PartHistory {
  readonly kind: EventOf<'cluster.changed'>['kind'];
  readonly name: string;
  /** What it said last. */
  message: string;
  /** How it stood, from when on; the oldest first. */
  readonly history: { readonly at: string; readonly state: string }[];
}

const MAX_SLOTS = 240;
const MAX_REMARKS = 200;
const MAX_FILES = 500;
const MAX_HISTORY = 60;

export interface StageName {
  readonly id: string;
  readonly title: string;
}

export function newRunState(stages: readonly StageName[]): RunState {
  const nothing = () => ({ blobs: 0, bytes: 0 });
  return {
    run: '',
    site: '',
    seq: 0,
    startedAt: '',
    lastAt: '',
    outcome: 'running',
    durationMs: 0,
    stages: stages.map(({ id, title }) => ({ id, title, state: 'waiting' })),
    tasks: [],
    copied: nothing(),
    reused: nothing(),
    mounted: nothing(),
    moved: { startMs: 0, slotMs: 1000, values: [] },
    images: [],
    remarks: [],
    files: [],
    parts: [],
  };
}

/** Adds one event. Events that were seen before change nothing, so a stream may overlap. */
export function addEvent(state: RunState, event: RecordedEvent): void {
  if (event.seq <= state.seq) return;
  state.seq = event.seq;
  state.lastAt = event.at;
  if (state.startedAt === '') state.startedAt = event.at;
  const fold = FOLDS[event.type] as Fold | undefined;
  fold?.(state, event);
}

/** Nothing is under way in a run that is over, however it ended. */
export function endRun(state: RunState, outcome: RunState['outcome']): void {
  Object.assign(state, { outcome, tasks: [] });
  for (const stage of state.stages) {
    if (stage.state === 'waiting') stage.state = 'not-run';
    if (stage.state === 'running') stage.state = 'interrupted';
  }
}

type Fold = (state: RunState, event: RecordedEvent) => void;
type Folds = {
  readonly [T in RecordedEvent['type']]?: (state: RunState, event: EventOf<T> & Stamp) => void;
};
interface Stamp {
  readonly at: string;
}

const FOLDS: Folds = {
  'run.started'(state, { run, site, at }) {
    Object.assign(state, { run, site: site ?? state.site, startedAt: at, outcome: 'running' });
  },
  'run.finished'(state, { outcome, durationMs }) {
    Object.assign(state, { durationMs });
    endRun(state, outcome);
  },
  'step.started'(state, { step, title, reason, at }) {
    const { message: _message, hint: _hint, code: _code, ...rest } = stageOf(state, step, title);
    const started = reason === undefined ? { startedAt: at } : { startedAt: at, reason };
    replaceStage(state, { ...rest, title, state: 'running', ...started });
  },
  'step.finished'(state, { step, durationMs }) {
    Object.assign(stageOf(state, step), { state: 'done', durationMs });
  },
  'step.skipped'(state, { step, reason }) {
    Object.assign(stageOf(state, step), { state: 'skipped', reason });
  },
  'step.failed'(state, { step, message, hint, code, at }) {
    const stage = stageOf(state, step);
    const durationMs = Date.parse(at) - Date.parse(stage.startedAt ?? at);
    Object.assign(stage, { state: 'failed', message, durationMs });
    if (hint !== undefined) stage.hint = hint;
    if (code !== undefined) stage.code = code;
  },
  'task.started'(state, { type: _type, ...task }) {
    state.tasks = [...withoutTask(state, task.task), { ...task, startedAt: task.at }];
  },
  'task.finished'(state, { task }) {
    state.tasks = withoutTask(state, task);
  },
  'task.failed'(state, { task }) {
    state.tasks = withoutTask(state, task);
  },
  'blob.copied'(state, { sizeBytes, at }) {
    count(state.copied, sizeBytes);
    addBytes(state.moved, Date.parse(at), sizeBytes);
  },
  'blob.reused': (state, { sizeBytes }) => count(state.reused, sizeBytes),
  'blob.mounted': (state, { sizeBytes }) => count(state.mounted, sizeBytes),
  'image.copied'(state, { source, target, digest, sizeBytes, copiedBytes }) {
    addImage(state, { source, target, digest, sizeBytes, copiedBytes, outcome: 'copied' });
  },
  'image.skipped'(state, { source, target, digest, reason }) {
    addImage(state, { source, target, digest, outcome: 'skipped', message: reason });
  },
  'image.failed'(state, { source, target, message }) {
    addImage(state, { source, target, outcome: 'failed', message });
  },
  'warning.raised'(state, { message, hint, at }) {
    remark(state, { kind: 'warning', message, at, ...(hint === undefined ? {} : { hint }) });
  },
  'note.added': (state, { message, at }) => remark(state, { kind: 'note', message, at }),
  'attempt.failed'(state, { operation, attempt, attempts, message, at }) {
    const tries = `${operation} (${attempt}/${attempts}): ${message}`;
    remark(state, { kind: 'retry', message: tries, at });
  },
  'cluster.changed'(state, { kind, name, state: now, message = '', at }) {
    const known = state.parts.find((part) => part.kind === kind && part.name === name);
    const part = known ?? { kind, name, message, history: [] };
    if (!known) state.parts.push(part);
    part.message = message;
    part.history.push({ at, state: now });
    if (part.history.length > MAX_HISTORY) part.history.shift();
  },
  'file.written'(state, { path }) {
    if (state.files.length < MAX_FILES && !state.files.includes(path)) state.files.push(path);
  },
};

/** Steps of the site's own come after the stages that were known from the start. */
function stageOf(state: RunState, id: string, title = id): StageState {
  const known = state.stages.find((stage) => stage.id === id);
  if (known) return known;
  const added: StageState = { id, title, state: 'waiting' };
  state.stages.push(added);
  return added;
}

function replaceStage(state: RunState, next: StageState): void {
  state.stages = state.stages.map((stage) => (stage.id === next.id ? next : stage));
}

const withoutTask = (state: RunState, task: string) =>
  state.tasks.filter((other) => other.task !== task);

function count(totals: ContentTotals, bytes: number): void {
  totals.blobs += 1;
  totals.bytes += bytes;
}

function addImage(state: RunState, image: ImageEvent): void {
  state.images.push(image);
}

function remark(state: RunState, added: Remark): void {
  state.remarks.push(added);
  if (state.remarks.length > MAX_REMARKS) state.remarks.shift();
}

/** Adds bytes at a time. A series that grows too long gets slots of twice the width. */
export function addBytes(series: ByteSeries, atMs: number, bytes: number): void {
  if (series.values.length === 0) series.startMs = atMs - (atMs % series.slotMs);
  let slot = Math.floor((atMs - series.startMs) / series.slotMs);
  while (slot >= MAX_SLOTS) {
    halve(series);
    slot = Math.floor((atMs - series.startMs) / series.slotMs);
  }
  // Clocks may step back; what came then counts for the beginning.
  slot = Math.max(0, slot);
  while (series.values.length <= slot) series.values.push(0);
  series.values[slot] = (series.values[slot] ?? 0) + bytes;
}

function halve(series: ByteSeries): void {
  const { values } = series;
  series.values = values.flatMap((value, index) =>
    index % 2 === 0 ? [value + (values[index + 1] ?? 0)] : [],
  );
  series.slotMs *= 2;
}
