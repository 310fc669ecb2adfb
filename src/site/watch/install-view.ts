import type { ClusterPart } from '../../cluster/parts.ts';
import type { Context } from '../../core/context.ts';
import { formatBytes, formatDuration } from '../../core/format.ts';
import { decodeLogrus } from '../../observe/formats/installer-log.ts';
import { causesOf, type InstallCause, PATIENCE, type Patience, type WatchFacts } from './causes.ts';
import type { ClusterLook } from './look-cluster.ts';
import { bootstrapStepFor, PHASES, type PhaseId, phaseOf } from './phases.ts';
import type { PullWatch } from './pulls.ts';

export interface ViewOptions {
  readonly pulls: PullWatch;
  readonly expected: readonly string[];
  /** Name of the bootstrap machine, where it is known. */
  readonly bootstrap?: string | undefined;
  readonly mirror: string;
  readonly patience?: Patience | undefined;
}

const SAFE_TO_REMOVE = 'It is now safe to remove the bootstrap resources';

/** An install as somebody watches it: what is known so far, told as it changes. */
export class InstallView {
  readonly pulls: PullWatch;
  readonly #ctx: Context;
  readonly #options: ViewOptions;
  readonly #startedMs: number;
  readonly #degradedMs = new Map<string, number>();
  readonly #told = new Set<string>();
  readonly #parts = new Map<string, ClusterPart>();
  /** Tasks under way, and what was said of them last. */
  readonly #open = new Map<string, { readonly title: string; readonly note: string }>();
  #look: ClusterLook | undefined;
  #answeredMs: number | undefined;
  #bootstrappedMs: number | undefined;
  #words = '';
  #phase: { readonly id: PhaseId; readonly sinceMs: number } | undefined;

  constructor(ctx: Context, options: ViewOptions) {
    this.#ctx = ctx;
    this.#options = options;
    this.pulls = options.pulls;
    this.#startedMs = ctx.now().getTime();
  }

  /** A line of the installer: its last words are shown, and what it says of the bootstrap is heeded. */
  heard(line: string): void {
    const words = /\bmsg=(.*)$/.exec(decodeLogrus(line).message)?.[1] ?? '';
    if (words !== '') this.#words = words;
    if (!words.includes(SAFE_TO_REMOVE)) return;
    this.#once('bootstrap-may-go', () =>
      this.#note(
        'The bootstrap machine is not needed any more: switch it off, and take it out of the load balancer',
      ),
    );
  }

  /** The step that the bootstrap machine itself says it is at. */
  reached(step: string, waitsFor: string | undefined): void {
    const note = `${step}${waitsFor ? `, waits for ${waitsFor}` : ''}`;
    this.#progress('install bootstrap', 'Bootstrap', note);
  }

  /** What the API said; undefined when it did not answer. */
  saw(look: ClusterLook | undefined): void {
    const nowMs = this.#nowMs();
    this.#look = look;
    if (!look) return;
    this.#answeredMs = nowMs;
    if (look.isBootstrapped) this.#bootstrappedMs ??= nowMs;
    this.#tellParts(look.parts);
    const degraded = [
      ...look.operators.flatMap((one) => (one.degraded ? [`operator ${one.name}`] : [])),
      ...look.stuckPools.map(({ name }) => `pool ${name}`),
    ];
    for (const key of this.#degradedMs.keys())
      if (!degraded.includes(key)) this.#degradedMs.delete(key);
    for (const key of degraded) if (!this.#degradedMs.has(key)) this.#degradedMs.set(key, nowMs);
  }

  facts(): WatchFacts {
    const { pulls } = this;
    const { expected, mirror } = this.#options;
    return {
      ...{ nowMs: this.#nowMs(), startedMs: this.#startedMs, expected, mirror },
      ...{ pulls: pulls.machines(), refusals: pulls.refusals(), look: this.#look },
      ...{ answeredMs: this.#answeredMs, bootstrappedMs: this.#bootstrappedMs },
      degradedMs: this.#degradedMs,
    };
  }

  /** Tells what is new, and gives the cause where the install is dead. */
  tell(): InstallCause | undefined {
    const facts = this.facts();
    this.#tellPhase(phaseOf(facts));
    this.#tellMachines(facts);
    this.#tellOperators(facts);
    const causes = causesOf(facts, this.#options.patience ?? PATIENCE);
    for (const cause of causes.filter(({ isDead }) => !isDead)) {
      const { id, message, hint } = cause;
      this.#once(id, () => this.#ctx.emit({ type: 'warning.raised', subject: id, message, hint }));
    }
    return causes.find(({ isDead }) => isDead);
  }

  /** The cluster is up: what was under way is done. */
  finish(): void {
    for (const [task, { title, note }] of this.#open) {
      this.#ctx.emit({ type: 'task.finished', task, title, ...(note ? { summary: note } : {}) });
    }
    this.#open.clear();
  }

  #tellPhase(id: PhaseId): void {
    const nowMs = this.#nowMs();
    const { title, usualMs } = PHASES[id];
    if (this.#phase?.id !== id) {
      if (this.#phase) {
        const took = formatDuration(nowMs - this.#phase.sinceMs);
        this.#note(`${PHASES[this.#phase.id].title}: done after ${took}`);
      }
      this.#phase = { id, sinceMs: nowMs };
      // The same task, so that its line stays where it is: the first.
      this.#ctx.emit({ type: 'task.started', task: 'install', title });
      this.#open.set('install', { title, note: '' });
    }
    const elapsed = formatDuration(nowMs - (this.#phase?.sinceMs ?? nowMs));
    const said = id === 'operators' ? this.#look?.progress : undefined;
    const note = `${elapsed} of usually ${formatDuration(usualMs)}${said ? `: ${said}` : ''}`;
    this.#progress('install', title, note);
    if (this.#words !== '') this.#progress('install log', 'Installer', this.#words);
  }

  /** What is as it was is not told again: the log of a run is kept. */
  #tellParts(parts: readonly ClusterPart[]): void {
    const gone = new Map(this.#parts);
    for (const part of parts) {
      const key = `${part.kind} ${part.name}`;
      gone.delete(key);
      if (this.#parts.get(key)?.state === part.state) continue;
      this.#parts.set(key, part);
      this.#ctx.emit({ type: 'cluster.changed', ...part });
    }
    for (const [key, { kind, name }] of gone) {
      this.#parts.delete(key);
      this.#ctx.emit({ type: 'cluster.changed', kind, name, state: 'gone' });
    }
  }

  #tellMachines({ pulls, look }: WatchFacts): void {
    for (const { machine, image, images, bytes } of pulls) {
      const task = `install ${machine}`;
      const isReady = look?.nodes.some(({ name, ready }) => name === machine && ready) ?? false;
      if (isReady) {
        this.#once(`ready ${machine}`, () => {
          this.#open.delete(task);
          const summary = `it is a node, after ${images} images (${formatBytes(bytes)})`;
          this.#ctx.emit({ type: 'task.finished', task, title: machine, summary });
        });
        continue;
      }
      const step = machine === this.#options.bootstrap ? bootstrapStepFor(image) : undefined;
      const note = `pulls ${image}${step ? ` for "${step}"` : ''}, ${images} images so far, ${formatBytes(bytes)}`;
      this.#progress(task, machine, note);
    }
  }

  #tellOperators({ look }: WatchFacts): void {
    if (!look || look.operators.length === 0) return;
    const settled = look.operators.filter((one) => one.settled);
    const waiting = look.operators.filter((one) => !one.settled).map(({ name }) => name);
    const totalItems = look.operators.length;
    const note = waiting.length > 0 ? `waiting for ${waiting.join(', ')}` : 'all are available';
    this.#progress('install operators', 'Operators', note, {
      ...{ doneItems: settled.length, totalItems },
    });
    for (const { name } of settled)
      this.#once(`settled ${name}`, () =>
        this.#note(`Operator ${name} is available (${settled.length} of ${totalItems})`),
      );
  }

  #progress(task: string, title: string, note: string, counts: object = {}): void {
    if (!this.#open.has(task)) this.#ctx.emit({ type: 'task.started', task, title });
    this.#open.set(task, { title, note });
    this.#ctx.emit({ type: 'task.progressed', task, note, ...counts });
  }

  #note(message: string): void {
    this.#ctx.emit({ type: 'note.added', message });
  }

  #once(id: string, tell: () => void): void {
    if (this.#told.has(id)) return;
    this.#told.add(id);
    tell();
  }

  readonly #nowMs = (): number => this.#ctx.now().getTime();
}
