import { expect, test } from 'vitest';
import { plainLine, plainLines } from './plain-lines.ts';

test.each([
  ['colours', '\x1b[31mERROR\x1b[0m \x1b[1;36mcopying\x1b[0m', 'ERROR copying'],
  ['colours that were spelled out', '^[[31mERROR^[[0m #033[1mx#033[0m', 'ERROR x'],
  ['colours in JSON', '{"MESSAGE":"\\u001b[31mbad\\u001b[0m"}', '{"MESSAGE":"bad"}'],
  ['colours without their escape', '[31mERROR[0m[36;1m x[m', 'ERROR x'],
  ['spaces that do not break', 'signed\xa0by\u202funknown', 'signed by unknown'],
  ['what is not seen', '\ufeffun\u200bauthorized', 'unauthorized'],
  ['curled quotes', 'Get “https://a” can’t', 'Get "https://a" can\'t'],
  ['curled quotes inside straight ones', 'msg="a “b”"', 'msg="a \\"b\\""'],
  ['what web pages write', 'msg=&quot;a &lt;b&gt; &amp;&#39;c&#39;&quot;', 'msg="a <b> &\'c\'"'],
  [
    'links that a ticket made of names',
    'in [quay.io/a/b](http://quay.io/a/b): no, [a](b) and x[1](2)',
    'in quay.io/a/b: no, [a](b) and x[1](2)',
  ],
  ['dashes and dots', '–dir … x—y', '-dir ... x-y'],
])('plainLine takes out %s', (_, line, plain) => {
  expect(plainLine(line)).toBe(plain);
});

test('plainLine leaves what only looks like a colour', () => {
  const query = 'rate(x[5m]) took [10m30s]';

  expect(plainLine(query)).toBe(query);
});

test('plainLines gives plain bytes as they are, and keeps the number of lines', () => {
  const plain = Buffer.from('a\nb\n');

  expect(plainLines(plain)).toBe(plain);
  expect(plainLines(Buffer.from('a\x1b[0m\n\n“b”\n')).toString()).toBe('a\n\n"b"\n');
});
