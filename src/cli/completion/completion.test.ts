import { expect, test } from 'vitest';
import { defineCommand } from '../command.ts';
import { bashCompletion } from './bash.ts';
import { fishCompletion } from './fish.ts';
import { placesOf } from './places.ts';
import { zshCompletion } from './zsh.ts';

const copy = defineCommand({
  name: 'mirror copy',
  summary: "Copy an image, all of it: don't split",
  options: {
    authfile: { type: 'string', value: 'FILE', summary: 'Credentials' },
    format: { type: 'string', value: 'FORMAT', choices: ['oci', 'docker'], summary: 'Format' },
    insecure: { type: 'boolean', summary: 'Plain HTTP' },
  },
  examples: {},
  run: async () => ({}),
});
const places = placesOf([copy], { mirror: 'Move images' });

test('placesOf knows the start, the groups and the commands', () => {
  expect(places.map(({ path }) => path)).toEqual(['', 'mirror', 'mirror copy']);
  expect(places[0]?.words).toEqual([['mirror', 'Move images']]);
  expect(places[1]?.words.map(([word]) => word)).toEqual(['copy']);
  expect(places[2]?.flags.map(({ long, takes }) => `${long} ${takes}`)).toEqual([
    '--authfile file',
    '--format value',
    '--insecure nothing',
    '--output value',
    '--quiet nothing',
    '--verbose nothing',
    '--yes nothing',
    '--help nothing',
  ]);
});

test('bashCompletion offers choices, and files by saying nothing', () => {
  const script = bashCompletion(places);

  expect(script).toContain(`'mirror copy:--format') COMPREPLY=($(compgen -W 'oci docker'`);
  expect(script).toContain(`'mirror copy:--authfile') return`);
});

test('zshCompletion offers choices and files, and quotes what a summary holds', () => {
  const script = zshCompletion(places);

  expect(script).toContain(`('mirror copy:--format') compadd -- 'oci' 'docker'; return`);
  expect(script).toContain(`('mirror copy:--authfile') _files; return`);
  expect(script).toContain(`'copy:Copy an image, all of it: don'\\''t split'`);
});

test('fishCompletion offers choices and files, and quotes what a summary holds', () => {
  const script = fishCompletion(places);

  expect(script).toContain(`-l format -x -a 'oci docker'`);
  expect(script).toContain(`-l authfile -r -F`);
  expect(script).toContain(`-a 'copy' -d 'Copy an image, all of it: don\\'t split'`);
});
