import type { Context } from '../../../core/context.ts';
import { sleep } from '../../../core/retry.ts';
import type { Aws } from '../client/aws.ts';
import {
  findStack,
  newEvents,
  type StackEvent,
  type StackState,
  stackFailure,
} from './stack-state.ts';

const POLL_MS = 2000;

interface Watch {
  readonly name: string;
  /** Its id: a stack that is gone answers to nothing else. */
  readonly id: string;
  readonly doing: 'make' | 'change' | 'remove';
  /** Events of what was done before. */
  readonly known: ReadonlySet<string>;
  /** Resources that will change, where that is known. */
  readonly total?: number | undefined;
}

const TITLES = { make: 'Make', change: 'Change', remove: 'Remove' } as const;

/** The events there are before something begins. */
export async function knownEvents(ctx: Context, aws: Aws, stack: string): Promise<Set<string>> {
  return new Set((await newEvents(ctx, aws, stack, new Set())).map(({ id }) => id));
}

/** Tells what happens to a stack until it is done, and fails with the first cause when it fails. */
export async function watchStack(ctx: Context, aws: Aws, watch: Watch): Promise<StackState> {
  const task = `stack ${watch.name}`;
  const title = `${TITLES[watch.doing]} the stack ${watch.name}`;
  const known = new Set(watch.known);
  const events: StackEvent[] = [];
  const total = watch.total ? { totalItems: watch.total } : {};
  ctx.emit({ type: 'task.started', task, title, ...total });
  for (;;) {
    // The state first: events that come between the two calls are not missed.
    const state = (await findStack(ctx, aws, watch.id)) ?? gone(watch.id);
    for (const event of await newEvents(ctx, aws, watch.id, known)) {
      known.add(event.id);
      events.push(event);
      const note = `${event.resource} ${words(event.status)}`;
      ctx.emit({ type: 'task.progressed', task, doneItems: done(events), ...total, note });
    }
    if (!state.status.endsWith('_IN_PROGRESS'))
      return finish(ctx, watch, { task, title, state, events });
    await sleep(ctx, POLL_MS);
  }
}

const gone = (id: string): StackState => ({ id, status: 'DELETE_COMPLETE', site: '', outputs: {} });
const words = (status: string) => status.toLowerCase().replaceAll('_', ' ');

function done(events: readonly StackEvent[]): number {
  const finished = events.filter(
    ({ status, type }) => status.endsWith('_COMPLETE') && type !== 'AWS::CloudFormation::Stack',
  );
  return new Set(finished.map(({ resource }) => resource)).size;
}

const GOOD = {
  make: ['CREATE_COMPLETE', 'UPDATE_COMPLETE'],
  change: ['UPDATE_COMPLETE', 'UPDATE_COMPLETE_CLEANUP_IN_PROGRESS'],
  remove: ['DELETE_COMPLETE'],
} as const satisfies Record<Watch['doing'], readonly string[]>;

interface End {
  readonly task: string;
  readonly title: string;
  readonly state: StackState;
  readonly events: readonly StackEvent[];
}

function finish(
  ctx: Context,
  { name, doing }: Watch,
  { task, title, state, events }: End,
): StackState {
  const good: readonly string[] = GOOD[doing];
  if (good.includes(state.status)) {
    ctx.emit({ type: 'task.finished', task, title });
    return state;
  }
  const error = stackFailure(name, doing, state.status, events);
  ctx.emit({ type: 'task.failed', task, title, code: error.code, message: error.message });
  throw error;
}
