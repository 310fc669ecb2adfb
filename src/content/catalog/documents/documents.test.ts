import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { indexIgnore } from './index-ignore.ts';
import { JsonSplitter, MAX_DOCUMENT_BYTES } from './json-splitter.ts';
import { DocumentReader } from './read-documents.ts';

function read(text: string, chunkSize = 7) {
  const reader = new DocumentReader();
  const bytes = Buffer.from(text);
  const documents = [];
  for (let at = 0; at < bytes.length; at += chunkSize) {
    documents.push(...reader.push(bytes.subarray(at, at + chunkSize)));
  }
  return [...documents, ...reader.end()];
}

const valuesOf = (text: string, chunkSize?: number) =>
  read(text, chunkSize).map(({ value }) => value);

describe('DocumentReader', () => {
  test('finds the same JSON objects wherever the chunks end', () => {
    const documents = fc.array(fc.dictionary(fc.string(), fc.jsonValue()), { maxLength: 5 });

    fc.assert(
      fc.property(
        documents,
        fc.constantFrom('', '\n', ' \n---\n'),
        fc.integer({ min: 1, max: 40 }),
        (values, separator, size) => {
          const normal = values.map((value) => JSON.parse(JSON.stringify(value)));
          const text = normal.map((value) => JSON.stringify(value)).join(separator);

          expect(valuesOf(text, size)).toEqual(normal);
        },
      ),
      { numRuns: 100 },
    );
  });

  test('keeps the text of a document byte for byte', () => {
    const first = '{\n  "schema" : "a",  "n": 1.0 }';

    const [document] = read(`\n${first}\n{"schema":"b"}`);

    expect(document?.text.toString()).toBe(first);
    expect(document?.format).toBe('json');
  });

  test('reads YAML documents, also ones that look like JSON', () => {
    const text =
      '# top\n---\nschema: a\nlist:\n  - x\n---\n{schema: b, "c": 1}\n...\n--- {schema: d}\n---\n';

    expect(valuesOf(text)).toEqual([
      { schema: 'a', list: ['x'] },
      { schema: 'b', c: 1 },
      { schema: 'd' },
    ]);
  });

  test('reads flow-style YAML in a file that starts like JSON', () => {
    expect(valuesOf('{schema: a}\n{"schema":"b"}')).toEqual([{ schema: 'a' }, { schema: 'b' }]);
    expect(read('{schema: a}')[0]?.format).toBe('yaml');
  });

  test('takes the last of a key that is there twice, in JSON and in YAML', () => {
    const last = [{ schema: 'olm.package', name: 'last' }];

    expect(valuesOf('schema: olm.package\nname: first\nname: last\n')).toEqual(last);
    expect(valuesOf('{"schema": "olm.package", "name": "first", "name": "last"}')).toEqual(last);
  });

  test('has nothing to say about an empty file', () => {
    expect(valuesOf('')).toEqual([]);
    expect(valuesOf(' \n\n')).toEqual([]);
    expect(valuesOf('# only a comment\n---\n')).toEqual([]);
  });

  test.each([
    ['{"a": 1', 'the last object is not closed'],
    ['{"a": 1} x', 'found "x" at byte 9 instead of an object'],
    ['{"a" "b"}', 'document 1 cannot be read'],
    ['a: [1', 'document 1 cannot be read'],
    ['- 1\n- 2', 'document 1 is not an object'],
    ['a: &x [1]\nb: *y', 'document 1 cannot be read'],
  ])('says what is wrong with %j', (text, message) => {
    expect(() => valuesOf(text, 100)).toThrow(message);
  });

  test('refuses aliases that would fill the memory', () => {
    const bomb = ['a: &a [x,x,x,x,x,x,x,x,x]'];
    for (let at = 0; at < 8; at += 1) {
      const [before, name] = [String.fromCharCode(97 + at), String.fromCharCode(98 + at)];
      bomb.push(`${name}: &${name} [${`*${before},`.repeat(9)}]`);
    }

    expect(() => valuesOf(bomb.join('\n'), 1000)).toThrow(/alias/i);
  });
});

test('JsonSplitter refuses an object that never ends', () => {
  const splitter = new JsonSplitter();
  const chunk = Buffer.alloc(8 * 1024 * 1024, 'a');
  splitter.push(Buffer.from('{"a":"'));

  expect(() => {
    for (let sent = 0; sent <= MAX_DOCUMENT_BYTES; sent += chunk.length) splitter.push(chunk);
  }).toThrow(/longer than/);
});

describe('indexIgnore', () => {
  test.each([
    ['README.md', 'README.md', true],
    ['README.md', 'odf/README.md', true],
    ['/README.md', 'odf/README.md', false],
    ['*.md', 'odf/a.md', true],
    ['odf/*.md', 'odf/a.md', true],
    ['odf/*.md', 'x/odf/a.md', false],
    ['odf/', 'odf/catalog.json', true],
    ['odf/', 'odf', false],
    ['**/test', 'a/b/test/x.json', true],
    ['a/**/z', 'a/z', true],
    ['a/**/z', 'a/b/c/z', true],
    ['a/**', 'a/b', true],
    ['a?c', 'abc', true],
    ['[!a]x', 'bx', true],
    ['[!a]x', 'ax', false],
    ['a.c', 'abc', false],
    ['*\n!keep.json', 'keep.json', false],
    ['# comment\n\n', 'x', false],
    ['\\#x', '#x', true],
    ['\\!x', '!x', true],
    ['a\\#x', 'a#x', true],
    ['a\\*b', 'a*b', true],
    ['a\\*b', 'axb', false],
    ['x\r\ny', 'x', true],
    ['x\r\ny', 'y', true],
    ['x  ', 'x', true],
    ['x\\ ', 'x ', true],
    ['x\\ ', 'x', false],
    ['[a-c]x', 'bx', true],
    ['[^a]x', 'ax', false],
    ['[^a]x', 'bx', true],
    ['**/**/z', 'a/b/z', true],
    ['a***c', 'abbc', true],
    ['*c', 'a/bc', true],
    ['a*', 'abc', true],
    ['/', 'x', false],
    ['a\n!a', 'a', false],
    ['odf\n!odf/keep', 'odf/keep', true],
    ['a?c', 'a/c', false],
    ['a(b', 'a(b', true],
  ])('with %j it says of %s: %s', (rules, path, ignored) => {
    expect(indexIgnore(new Map([['', rules]]))(path)).toBe(ignored);
  });

  test('ties the rules of a folder to it', () => {
    const isIgnored = indexIgnore(new Map([['odf', 'x.json']]));

    expect([isIgnored('odf/x.json'), isIgnored('x.json')]).toEqual([true, false]);
  });

  test('lets the rules of a folder win over those above it, in whatever order they are read', () => {
    const files: [string, string][] = [
      ['odf', '!x.json'],
      ['', 'x.json'],
      ['o.f', 'y.json'],
    ];

    for (const order of [files, files.toReversed()]) {
      const isIgnored = indexIgnore(new Map(order));
      const seen = ['odf/x.json', 'a/x.json', 'o.f/y.json', 'oxf/y.json'].map(isIgnored);
      expect(seen).toEqual([false, true, true, false]);
    }
  });
});
