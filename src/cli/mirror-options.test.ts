import { expect, test } from 'vitest';
import { fakeProcess } from '../../test/support/fake-process.ts';
import { COMMANDS, GROUPS } from './commands/index.ts';
import { otherMirrors } from './mirror-options.ts';
import { runCommandLine } from './run.ts';

const of = (...alsoAt: readonly string[]) =>
  otherMirrors({ to: 'docker://m.example:5000/ocp', alsoAt });

test('otherMirrors has the mirrors beside the one that is filled; "none" forgets them', () => {
  expect(of()).toBeUndefined();
  expect(of('none')).toEqual({ of: 'm.example:5000/ocp', mirrors: [] });
  expect(of('n.example/x', 'docker://o.example')).toEqual({
    of: 'm.example:5000/ocp',
    mirrors: ['n.example/x', 'o.example'],
  });
});

test.each([[['m.example:5000/ocp']], [['n.example', 'n.example']]])(
  'otherMirrors refuses %j, which names one twice',
  (alsoAt) => {
    expect(() => of(...alsoAt)).toThrow('one is named twice');
  },
);

test('otherMirrors refuses an address that no mirror set can name', () => {
  expect(() => of('[fd00::1]:5000')).toThrow('it is an IPv6 address');
});

test.each([
  ['sync', '-c', 'absent.yaml'],
  ['load', '--from', 'absent'],
])(
  'mirror %s to an IPv6 address is refused before anything is read or copied',
  async (...words) => {
    const process = fakeProcess();
    const argv = ['mirror', ...words, '--to', 'docker://[fd00::1]:5000/ocp'];

    const status = await runCommandLine(argv, { commands: COMMANDS, groups: GROUPS }, process);

    expect(status).toBe(3);
    expect(process.stderr.text).toContain(
      'Cannot mirror to "docker://[fd00::1]:5000/ocp": it is an IPv6 address [INPUT_INVALID]',
    );
  },
);
