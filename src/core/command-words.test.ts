import { expect, test } from 'vitest';
import { commandWords } from './command-words.ts';

test.each([
  ['mirror sync  -c isc.yaml ', ['mirror', 'sync', '-c', 'isc.yaml']],
  ['-c "image set.yaml" \'a "b"\' ""', ['-c', 'image set.yaml', 'a "b"', '']],
  ['--dir=/srv/my\\ mirror/"x\\"y\\z"', ['--dir=/srv/my mirror/x"y\\z']],
  ['', []],
])('commandWords reads %j as a shell does', (line, words) => {
  expect(commandWords(line)).toEqual(words);
});

test.each(['-c "isc.yaml', "it's", 'ends with \\'])('commandWords finds no end of %j', (line) => {
  expect(commandWords(line)).toBeUndefined();
});
