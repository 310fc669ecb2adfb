import { expect, test } from 'vitest';
import { COMMANDS, GROUPS } from './commands/index.ts';
import { inOurWords } from './oc-mirror-flags.ts';
import { parseArguments } from './parse.ts';

const SET = { commands: COMMANDS, groups: GROUPS };

test('inOurWords understands what oc-mirror calls by another name', () => {
  const words = ['mirror', 'sync', '-c', 'isc.yaml', '--to', 'docker://m.example', '--v2'];
  const theirs = [
    '--remove-signatures',
    '--workspace=file:///srv/mirror',
    '--dest-tls-verify=false',
    '--registries.d=/etc/signatures',
  ];

  const parsed = parseArguments([...words, ...theirs], SET);

  expect(parsed).toMatchObject({
    kind: 'run',
    options: {
      signatures: false,
      dir: '/srv/mirror',
      insecure: true,
      registriesD: '/etc/signatures',
    },
  });
});

test('inOurWords leaves other commands and other words alone', () => {
  const argv = ['render', 'machine-config', '--file', '/etc/a=file:///b', '--v2'];

  expect(inOurWords(argv)).toEqual(argv);
  const release = ['mirror', 'release', '--from-dir', 'd', '--from', 'file://team/release:4.18.1'];
  expect(inOurWords(release)).toEqual(release);
  expect(inOurWords(['mirror', 'save', '--to', 'file:///srv/b'])).toEqual([
    ...['mirror', 'save', '--to', '/srv/b'],
  ]);
});

test.each([
  ['-c isc.yaml --workspace file:///srv/w docker://m.example:5000 --v2', 'sync'],
  ['--v2 --config isc.yaml file:///srv/b', 'save'],
  ['-c isc.yaml --from file:///srv/b docker://m.example:5000 --v2', 'load'],
  ['docker://m.example:5000 --from=file:///srv/b --config=isc.yaml --dry-run', 'load'],
])('a command line of oc-mirror without a verb (%s) is mirror %s', (line, verb) => {
  const parsed = parseArguments(['mirror', ...line.split(' ')], SET);

  const places = {
    sync: { config: 'isc.yaml', dir: '/srv/w', to: 'docker://m.example:5000' },
    save: { config: 'isc.yaml', to: '/srv/b' },
    load: { from: '/srv/b', to: 'docker://m.example:5000' },
  };
  expect(parsed).toMatchObject({
    command: { name: `mirror ${verb}` },
    options: places[verb as keyof typeof places],
  });
});

test('a command line without a verb that is not one of oc-mirror is refused as ever', () => {
  expect(() => parseArguments(['mirror', '-c', 'isc.yaml'], SET)).toThrow(
    expect.objectContaining({ hint: expect.stringContaining('atoll mirror sync -c') as string }),
  );
  expect(() => parseArguments(['mirror', '--nonsense'], SET)).toThrow(
    "Unknown option '--nonsense'",
  );
});

test.each([
  ['--parallel-images=4', '--concurrency'],
  ['--since', 'mirror inventory'],
  ['--ignore-history', '--have'],
  ['--max-per-registry', '--concurrency'],
  ['--skip-verification', 'always compared'],
  ['--manifests-only', 'cluster-resources'],
  ['--retry-times', 'mirror retry'],
  ['--cache-dir', 'no cache'],
  ['--delete-yaml-file', '--execute'],
])('the parser says what to write instead of %s', (flag, word) => {
  const parse = () =>
    parseArguments(['mirror', 'sync', '-c', 'a', '--to', 'docker://m.example', flag, '4'], SET);

  expect(parse).toThrow(
    expect.objectContaining({ code: 'USAGE', hint: expect.stringContaining(word) as string }),
  );
});
