import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { describeWithPeers } from '../../../test/support/peers.ts';
import { tempDir } from '../../../test/support/temp.ts';
import { defineCommand } from '../command.ts';
import { COMMANDS, GROUPS } from '../commands/index.ts';
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

/** A terminal with a zsh in it, where somebody types and presses tab. */
const TYPED = `zmodload zsh/zpty
zpty z zsh -f -i
zpty -w z "PS1=; autoload -Uz compinit; compinit -u -D; atoll() { print -r -- \\"GOT:\\$*:\\" }; source $1; print RE''ADY"
zpty -r -m z out '*READY*'
zpty -w -n z $'atoll mirr\\tsy\\t--verify-t\\t\\n'
zpty -r -m z out '*GOT:*:*'
print -r -- \${\${out##*GOT:}%%:*}
zpty -d z`;

describeWithPeers(['zsh'], 'zshCompletion in a real zsh', () => {
  test('completes groups, commands and flags', async () => {
    const folder = await tempDir();
    await writeFile(join(folder, '_atoll'), zshCompletion(placesOf(COMMANDS, GROUPS)));
    await writeFile(join(folder, 'typed'), TYPED);

    const { stdout } = await promisify(execFile)('zsh', ['-f', 'typed', './_atoll'], {
      cwd: folder,
    });

    expect(stdout.trim()).toBe('mirror sync --verify-target');
  });
});
