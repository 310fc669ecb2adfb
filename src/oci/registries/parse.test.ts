import fc from 'fast-check';
import { expect, test } from 'vitest';
import { registryTable as registry } from '../../../test/support/skopeo-endpoints.ts';
import { formatRegistriesConf } from './format.ts';
import { mergeFiles, PULL_FROM_MIRROR, type RegistryTable } from './model.ts';
import { parseRegistriesFile } from './parse.ts';

test('parseRegistriesFile says of every table which file has it', () => {
  const { rules } = parseRegistriesFile('a.conf', registry('location="q.test"'));

  expect(rules.map(({ origins }) => origins)).toEqual([
    [{ kind: 'registries-conf', path: 'a.conf' }],
  ]);
});

test('mergeFiles takes lists of the last file that has them, be they empty', () => {
  const searching = (path: string, list: string) =>
    parseRegistriesFile(path, `unqualified-search-registries = ${list}`);
  const silent = parseRegistriesFile('3.conf', '');

  expect(mergeFiles([searching('1.conf', '["quay.io/"]'), silent]).unqualifiedSearch).toEqual([
    'quay.io',
  ]);
  expect(
    mergeFiles([searching('1.conf', '["quay.io"]'), searching('2.conf', '[]'), silent])
      .unqualifiedSearch,
  ).toEqual([]);
});

test('parseRegistriesFile reads back what formatRegistriesConf writes', () => {
  const location = fc.constantFrom('quay.io', 'm.test:5000', 'm.test:5000/a/b', 'q.test/"é');
  const mirror = fc.record({
    location,
    insecure: fc.boolean(),
    pullFromMirror: fc.constantFrom(undefined, ...PULL_FROM_MIRROR),
  });
  const table = fc.record({
    prefix: fc.constantFrom('a.test', 'b.test/c', '*.d.test'),
    location,
    insecure: fc.boolean(),
    blocked: fc.boolean(),
    mirrors: fc.array(mirror, { maxLength: 3 }),
  });

  fc.assert(
    fc.property(table, fc.boolean(), (some, isBare) => {
      const wanted: RegistryTable = {
        ...some,
        location: isBare && some.prefix.startsWith('*.') ? undefined : some.location,
        mirrorByDigestOnly: some.mirrors.every((one) => one.pullFromMirror === undefined),
      };
      const text = formatRegistriesConf({ tables: [wanted], unqualifiedSearch: ['docker.io'] });

      const { rules, unqualifiedSearch } = parseRegistriesFile('a.conf', text);

      expect(rules.map(({ origins: _, ...rule }) => rule)).toEqual([wanted]);
      expect(unqualifiedSearch).toEqual(['docker.io']);
    }),
  );
});

test.each([
  ['[registries.search]\nregistries = ["quay.io"]', 'old format'],
  ['[[registry]\nlocation = "a"', 'line 1'],
  [registry('prefix="a.test"'), '[[registry]] number 1: prefix "a.test" has no location'],
  [`${registry('location="a"')}\n${registry('insecure=true')}`, '[[registry]] number 2'],
  [registry('location="https://a.test"'), 'starts with a scheme'],
  [registry('prefix="*.a.test/org"\nlocation="b.test"'), '"*.a.test/org" is more than a host'],
  [registry('prefix="*.a.test:5000"'), '"*.a.test:5000" is more than a host'],
  [registry('location="a"', 'insecure=true'), 'mirror number 1 has no location'],
  [registry('location="a"\npull-from-mirror="all"'), '[[registry.mirror]]'],
  [registry('location="a"', 'location="b"\npull-from-mirror="never"'), '"never"'],
  [
    registry('location="a"\nmirror-by-digest-only=true', 'location="b"\npull-from-mirror="all"'),
    'exclude each other',
  ],
  [registry('location="a"\ninsecure="yes"'), '[[registry]] number 1, insecure'],
  ['credential-helpers = "pass"', 'credential-helpers: not a list'],
  [
    `${registry('location="a"\ninsecure=true')}\n${registry('prefix="b"\nlocation="a"')}`,
    '"a" is named twice, once with insecure',
  ],
])('parseRegistriesFile refuses %j and names the file and the table', (text, said) => {
  const parsing = () => parseRegistriesFile('etc/registries.conf', text);

  expect(parsing).toThrow(expect.objectContaining({ code: 'INPUT_INVALID' }));
  expect(parsing).toThrow('etc/registries.conf');
  expect(parsing).toThrow(said);
});

test('parseRegistriesFile takes no part of a text for a comment', () => {
  const { rules } = parseRegistriesFile(
    'file',
    '# [[registry]]\r\n\t# é\n[[registry]]\nlocation = "a.example.com/#b" # c\nnote = "\u2028# d"\n#',
  );
  expect(rules).toMatchObject([{ location: 'a.example.com/#b' }]);

  const long = parseRegistriesFile('file', '[[registry]]\nlocation = """\\\n# a\\\n"""');
  expect(long.rules).toMatchObject([{ location: '# a' }]);
});

test('parseRegistriesFile counts lines of comment, and refuses what TOML has in none', () => {
  expect(() => parseRegistriesFile('file', '# one\n# two\n= 3')).toThrow('line 3, column 1');
  expect(() => parseRegistriesFile('file', '# one\n# t\u0001wo\n')).toThrow('line 2');
});
