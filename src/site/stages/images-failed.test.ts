import { expect, test } from 'vitest';
import { notCollected } from './images-failed.ts';

const denied = (subject: string) => ({
  subject,
  code: 'REGISTRY_DENIED' as const,
  message: `Cannot read ${subject}: 401`,
  hint: 'Log in again',
});

test('notCollected tells a cause once, with its own exit status and its own next step', () => {
  const error = notCollected([denied('a'), denied('b'), denied('c')]);

  expect(error).toMatchObject({ code: 'REGISTRY_DENIED', hint: 'Log in again' });
  expect(error.message).toBe(
    'Nothing was mirrored: 3 things cannot be had\n  Cannot read a: 401, and 2 others like it',
  );
});
