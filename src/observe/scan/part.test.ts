import { expect, test } from 'vitest';
import { parted } from './part.ts';

const partsOf = (text: string) => {
  const made = parted(text);
  return made && { lines: made.bytes.toString().trimEnd().split('\n'), numbers: made.numbers };
};

test.each([
  [
    'logrus',
    'time="2026-03-02T10:00:00Z" level=debug msg="one"',
    'time="2026-03-02T10:00:01Z" level=fatal msg="two"',
  ],
  ['klog', 'I0302 10:00:00.123456    1 a.go:10] one', 'E0302 10:00:01.123456    1 b.go:20] two'],
  ['journal', 'Mar 02 10:00:00 fir kubelet[12]: one', 'Mar 02 10:00:01 fir crio[9]: two'],
])(
  'parted gives lines of %s that were copied without their breaks back to themselves',
  (_, one, two) => {
    expect(partsOf(`first\n${one}      ${two}\nlast\n`)).toEqual({
      lines: ['first', one, two, 'last'],
      numbers: [1, 2, 2, 3],
    });
  },
);

test.each([
  'time="2026-03-02T10:00:00Z" level=debug msg="it said: time=\\"2026-03-02T09:00:00Z\\" level=info msg=x"',
  'Mar 02 10:00:00 fir kubelet[12]: E0302 10:00:01.123456    1 b.go:20] two',
  'text before time="2026-03-02T10:00:00Z" level=debug msg="one"',
])('parted leaves a line alone that quotes another: %s', (line) => {
  expect(parted(`${line}\n${line}`)).toBeUndefined();
});
