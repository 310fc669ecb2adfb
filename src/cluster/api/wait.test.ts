import { expect, test } from 'vitest';
import { recordingContext } from '../../core/context.ts';
import { AtollError } from '../../core/errors.ts';
import { type Look, waitFor } from './wait.ts';

const options = (looks: readonly (() => Look<string>)[]) => {
  const left = [...looks];
  return {
    task: 't',
    title: 'the pools',
    timeoutMs: 1000,
    everyMs: 0,
    hint: 'Look at them',
    look: async () => (left.length > 1 ? left.shift() : left[0])?.() ?? never(),
  };
};
const never = (): never => {
  throw new Error('no look is left');
};
const not = (reason: string, hopeless?: { hint: string }) => (): Look<string> => ({
  done: false,
  reason,
  hopeless,
});
const away = (): Look<string> => {
  throw new AtollError('CLUSTER_UNAVAILABLE', 'Cannot reach api');
};

test('waitFor gives a reason at each look, and takes an absent API for one', async () => {
  const ctx = recordingContext();

  const value = await waitFor(
    ctx,
    options([not('1 of 3'), away, not('2 of 3'), () => ({ done: true, value: 'here' })]),
  );

  expect(value).toBe('here');
  const notes = ctx.events.flatMap((event) => (event.type === 'task.progressed' ? event.note : []));
  expect(notes).toEqual(['1 of 3', 'Cannot reach api', '2 of 3']);
});

test('waitFor ends at once when it is hopeless, with what to do', async () => {
  const waiting = waitFor(recordingContext(), options([not('paused', { hint: 'Unpause it' })]));

  await expect(waiting).rejects.toMatchObject({
    code: 'CLUSTER_FAILED',
    message: 'Cannot wait for the pools any longer: paused',
    hint: 'Unpause it',
  });
});

test('waitFor ends with the last reason when the time is over', async () => {
  const times = [0, 0, 2000];
  const now = () => new Date(times.length > 1 ? (times.shift() ?? 0) : (times[0] ?? 0));

  const waiting = waitFor(recordingContext({ now }), options([not('1 of 3')]));

  await expect(waiting).rejects.toMatchObject({
    message: expect.stringContaining(': 1 of 3'),
    hint: 'Look at them',
  });
});

test('waitFor does not wait for what will not pass', async () => {
  const denied = () => {
    throw new AtollError('CLUSTER_DENIED', 'no');
  };

  await expect(waitFor(recordingContext(), options([denied]))).rejects.toMatchObject({
    code: 'CLUSTER_DENIED',
  });
});
