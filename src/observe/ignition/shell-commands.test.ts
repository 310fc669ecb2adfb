import { expect, test } from 'vitest';
import { shellCommands } from './shell-commands.ts';

const wordsOf = (...lines: readonly string[]) =>
  shellCommands(lines.join('\n'), ['/one', '/two']).map(({ words }) => words.join(' '));

test('shellCommands fills in parameters and variables, and leaves what it does not know', () => {
  expect(
    wordsOf(
      '# a comment; ln x y',
      `dir="\${1:-/tmp}/deep"`,
      "local other='$2'",
      `ln -s a "$dir/a" ; ln b \${dir}/b && ln "$unknown/c" \${3:-d}`,
    ),
  ).toEqual(['ln -s a /one/deep/a', 'ln b /one/deep/b', 'ln $unknown/c d']);
});

test.each([
  ['in one line', ['for u in a b; do ln $u "$1/$u"; done; ln c d']],
  ['in several', ['for u in a \\', '  b', 'do', '  ln $u "$1/$u"', 'done', 'ln c d']],
])('shellCommands follows a loop %s', (_, lines) => {
  expect(wordsOf(...lines).filter((one) => one.startsWith('ln'))).toEqual([
    'ln a /one/a',
    'ln b /one/b',
    'ln c d',
  ]);
});

test('shellCommands follows loops in loops, and takes both branches of a condition', () => {
  const lines = [
    'for a in 1 2; do while true; do for b in x y; do ln $a $b; done; break; done; done',
    'if test -e x; then ln then; else ln else; fi',
  ];

  expect(wordsOf(...lines).filter((one) => one.startsWith('ln'))).toEqual([
    ...['ln 1 x', 'ln 1 y', 'ln 2 x', 'ln 2 y'],
    ...['ln then', 'ln else'],
  ]);
});

test('shellCommands knows what a command reads and where it writes', () => {
  const script = [
    'NAME=x',
    "cat >$1/a <<-'EOF' 2>/dev/null",
    '\tone $NAME',
    '\tEOF',
    'cat <<EOF | tee "$1/b"',
    'two',
    'EOF',
    'echo three >> "$1/c" 2>&1',
  ].join('\n');

  expect(shellCommands(script, ['/one'])).toEqual([
    { words: ['cat'], writes: ['/one/a'], input: 'one x\n' },
    { words: ['cat'], writes: [], input: 'two\n' },
    { words: ['tee', '/one/b'], writes: [], input: 'two\n' },
    { words: ['echo', 'three'], writes: ['/one/c'], input: undefined },
  ]);
});

test.each([
  ['a text without an end', 'cat > x <<EOF\nline'],
  ['a loop without an end', 'for a in b; do ln $a c'],
  ['a stray quote', 'ln "a b; ln c'],
])('shellCommands gets to an end with %s', (_, script) => {
  expect(shellCommands(script, [])).not.toEqual([]);
});

test('shellCommands does not let loops and variables make much of little', () => {
  const loops = 'for a in 1 2 3 4 5 6 7 8 9; do '.repeat(12);
  expect(shellCommands(`${loops} ln a b\n`, []).length).toBeLessThan(2001);
  expect(shellCommands('for a in b; do '.repeat(4000), [])).toEqual([]);

  const doubled = `A=${'a'.repeat(200)}\n${'A=$A$A\n'.repeat(60)}ln $A\n`;
  expect(shellCommands(doubled, [])[0]?.words[1]?.length).toBeLessThan(1000);

  const body = `for a in ${'a '.repeat(1000)}; do cat > x <<E\n${'$A'.repeat(9000)}\nE\ndone`;
  const commands = shellCommands(`A=${'a'.repeat(255)}\n${body}`, []);
  expect(commands.length).toBeLessThan(5);
});
