import { expect, test } from 'vitest';
import { createLoginQueue, type LoginAttempt } from './login-queue.ts';
import { networkOf } from './network.ts';

const login = (address: string, user: string | undefined): LoginAttempt => ({
  address,
  user,
  isGone: () => false,
});

const refusal = () => new Error('too many');

test('createLoginQueue serves a user before the thousandth guess at another, and the welcome first', async () => {
  const order: string[] = [];
  const queue = createLoginQueue(({ address }) => (address === 'friend' ? 0 : 1), refusal);
  const ask = (address: string, user: string | undefined) =>
    queue.run(login(address, user), async () => void order.push(`${address} ${user}`));

  const all = [
    ...Array.from({ length: 200 }, (_, index) => ask(`guesser${index}`, 'admin')),
    ...Array.from({ length: 200 }, (_, index) => ask(`other${index}`, undefined)),
    ask('node', 'nodes'),
    ask('friend', 'admin'),
  ];
  await Promise.all(all);

  expect(order).toHaveLength(402);
  expect(order.indexOf('friend admin')).toBe(1);
  expect(order.indexOf('node nodes')).toBeLessThanOrEqual(4);
});

test('createLoginQueue has one address wait for its turn, and asks nobody who has left', async () => {
  const order: string[] = [];
  const queue = createLoginQueue(() => 1, refusal);
  const ask = (address: string, isGone = () => false) =>
    queue.run({ address, user: 'admin', isGone }, async () => void order.push(address));

  const many = Array.from({ length: 20 }, () => ask('a'));
  const gone = ask('gone', () => true);
  await Promise.all([...many, ask('b'), expect(gone).rejects.toThrow('too many')]);

  expect(order.indexOf('b')).toBe(1);
  expect(order).not.toContain('gone');
});

test('createLoginQueue holds a bounded number of guesses, and refuses those of who crowds it', async () => {
  const queue = createLoginQueue(() => undefined, refusal);
  let refused = 0;
  const ask = (address: string, user: string) =>
    void queue
      .run(login(address, user), async () => undefined)
      .catch(() => {
        refused += 1;
      });

  for (let index = 0; index < 100; index += 1) ask('a', 'admin');
  ask('a', 'neighbour');
  for (let index = 0; index < 2000; index += 1) ask(`b${index}`, 'admin');
  await Promise.resolve();

  expect(queue.waiting).toBeLessThanOrEqual(1000);
  expect(refused).toBe(2101 - queue.waiting);
});

test('networkOf takes an IPv6 network for one place', () => {
  expect(networkOf('::ffff:10.0.0.5')).toBe('10.0.0.5');
  expect(networkOf('10.0.0.5')).toBe('10.0.0.5');
  expect(networkOf('2001:db8::1')).toBe('2001:db8:0:0::/64');
  expect(networkOf('2001:db8:0:0:9:8:7:6')).toBe('2001:db8:0:0::/64');
  expect(networkOf('::1')).toBe('0:0:0:0::/64');
});
