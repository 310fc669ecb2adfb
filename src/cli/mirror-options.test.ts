import { expect, test } from 'vitest';
import { otherMirrors } from './mirror-options.ts';

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
