import { expect, test, vi } from 'vitest';
import { lazily } from './lazily.ts';

test('lazily makes a value when it is first asked for, and once', () => {
  const make = vi.fn(() => undefined);
  const value = lazily(make);

  expect(make).not.toHaveBeenCalled();
  expect([value(), value()]).toEqual([undefined, undefined]);
  expect(make).toHaveBeenCalledTimes(1);
});
