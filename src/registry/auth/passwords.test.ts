import { execFileSync } from 'node:child_process';
import { hash } from 'bcryptjs';
import { expect, test } from 'vitest';
import { describeWithPeers, peerPath } from '../../../test/support/peers.ts';
import { formatHtpasswd, parseHtpasswd } from './htpasswd.ts';
import { costOf, createPasswords, generatePassword, hashPassword } from './passwords.ts';

test('createPasswords knows a password after it was right once, and never a wrong one', async () => {
  const passwords = createPasswords();
  const hashed = await hash('right', 4);

  expect(passwords.isKnown('a', 'right', hashed)).toBe(false);
  expect(await passwords.check('a', 'wrong', hashed)).toBe(false);
  expect(await passwords.check('a', 'right', hashed)).toBe(true);
  expect(passwords.isKnown('a', 'right', hashed)).toBe(true);
  expect(passwords.isKnown('a', 'wrong', hashed)).toBe(false);
  expect(passwords.isKnown('b', 'right', hashed)).toBe(false);
  expect(passwords.isKnown('a', 'right', await hash('right', 4))).toBe(false);
  expect(await passwords.check('nobody', 'right', undefined)).toBe(false);
});

test('createPasswords does the same work for a wrong password whoever it is for', async () => {
  const work: number[] = [];
  const passwords = createPasswords({
    highestCost: () => 12,
    async compare(_password, hashed) {
      work.push(2 ** costOf(hashed));
      return false;
    },
  });
  const workOf = async (hashed: string | undefined) => {
    work.length = 0;
    await passwords.check('a', 'wrong', hashed);
    return work.reduce((sum, each) => sum + each, 0);
  };

  const tail = 'x'.repeat(53);
  expect(await workOf(undefined)).toBe(2 ** 12);
  for (const cost of ['05', '10', '12']) expect(await workOf(`$2y$${cost}$${tail}`)).toBe(2 ** 12);
});

test('generatePassword makes passwords that differ and can be typed', () => {
  const made = new Set(Array.from({ length: 50 }, generatePassword));

  expect(made.size).toBe(50);
  for (const password of made) expect(password).toMatch(/^[a-zA-Z2-9]{24}$/);
});

test('hashPassword refuses what bcrypt would cut off or ignore', async () => {
  for (const password of ['', 'x'.repeat(73)]) {
    await expect(hashPassword(password)).rejects.toMatchObject({ code: 'INPUT_INVALID' });
  }
});

test('parseHtpasswd names the line that is no bcrypt hash', () => {
  expect(() => parseHtpasswd('htpasswd', '# users\n\nadmin:{SHA}x\n')).toThrow(
    'Cannot read "htpasswd", line 3',
  );
});

describeWithPeers(['htpasswd'], 'htpasswd', () => {
  test('writes what parseHtpasswd reads, and accepts what hashPassword makes', async () => {
    const program = peerPath('htpasswd') ?? '';
    const line = execFileSync(program, ['-nbB', '-C', '5', 'ci', 'hush'], { encoding: 'utf8' });
    const users = parseHtpasswd('htpasswd', line);
    const passwords = createPasswords();

    expect(await passwords.check('ci', 'hush', users.get('ci'))).toBe(true);
    expect(parseHtpasswd('htpasswd', formatHtpasswd(users))).toEqual(users);
  });
});
