import { expect, test, vi } from 'vitest';
import { onAbort } from './on-abort.ts';

test('onAbort calls back everyone who still waits, once', () => {
  const controller = new AbortController();
  const [first, second, gone] = [vi.fn(), vi.fn(), vi.fn()];
  onAbort(controller.signal, first);
  onAbort(controller.signal, second);
  const stopWaiting = onAbort(controller.signal, gone);

  stopWaiting();
  controller.abort();

  expect(first).toHaveBeenCalledTimes(1);
  expect(second).toHaveBeenCalledTimes(1);
  expect(gone).not.toHaveBeenCalled();
});

test('onAbort listens once, however many wait for the signal', () => {
  const { signal } = new AbortController();
  const add = vi.spyOn(signal, 'addEventListener');

  for (let count = 0; count < 100; count += 1) onAbort(signal, vi.fn());

  expect(add).toHaveBeenCalledTimes(1);
});

test('onAbort does not call whom an earlier one told to stop waiting', () => {
  const controller = new AbortController();
  const second = vi.fn();
  onAbort(controller.signal, () => stopWaiting());
  const stopWaiting = onAbort(controller.signal, second);

  controller.abort();

  expect(second).not.toHaveBeenCalled();
});
