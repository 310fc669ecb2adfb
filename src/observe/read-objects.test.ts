import { expect, test } from 'vitest';
import type { EvidenceSink, LinePattern } from './evidence.ts';
import { createLineReader } from './read-lines.ts';
import { readObjects } from './read-objects.ts';
import { whereMatcher } from './rules/where.ts';

const NOW = new Date('2026-08-21T00:00:00Z');

const pattern = (text: string, where: string): LinePattern => ({
  pattern: text,
  where: [where],
  appliesTo: whereMatcher(where),
});

async function seenIn(
  text: string,
  format: 'json' | 'yaml',
  patterns: readonly LinePattern[],
  kinds: readonly string[] = [],
) {
  const lines: unknown[] = [];
  const objects: unknown[] = [];
  const sink: EvidenceSink = {
    patterns,
    kinds: new Set(kinds),
    onLine: (line) => lines.push([line.line, line.text, ...line.origins]),
    onObject: (object, place) => objects.push([place.line, object.metadata?.name]),
    onTime: () => undefined,
    onRecord: () => undefined,
    onUnread: () => undefined,
    onFile: () => undefined,
  };
  async function* content() {
    yield Buffer.from(text);
  }
  const file = { name: 'f', path: 'f', modified: NOW, content: content() };
  await readObjects(file, format, sink, createLineReader(sink, NOW));
  return { lines, objects };
}

const NODE = { kind: 'Node', metadata: { name: 'n' }, status: { state: 'broken beyond repair' } };
const POD = { kind: 'Pod', metadata: { name: 'p' }, status: { state: 'fine' } };
const LIST = JSON.stringify({ items: [NODE, POD] });

test('readObjects hands on what was asked for by kind, and what objects say to the patterns', async () => {
  const { lines, objects } = await seenIn(
    LIST,
    'json',
    [pattern('broken beyond', 'object:Node')],
    ['Pod'],
  );

  expect(objects).toEqual([[1, 'p']]);
  expect(lines).toEqual([[1, 'state: broken beyond repair', 'object:Node/n']]);
});

test('readObjects knows a kind in YAML, and finds text that is folded there', async () => {
  const yaml =
    'items:\n- kind: Node\n  metadata:\n    name: n\n  status:\n    message: broken\n      beyond repair\n- kind: Pod\n  metadata:\n    name: p\n';

  const { lines, objects } = await seenIn(
    yaml,
    'yaml',
    [pattern('broken beyond', 'object:Node')],
    ['Pod'],
  );

  expect(objects).toEqual([[8, 'p']]);
  expect(lines).toEqual([[2, 'message: broken beyond repair', 'object:Node/n']]);
});

test('readObjects finds conditions that a pattern names as Type=Status', async () => {
  const conditions = [{ type: 'Degraded', status: 'True', message: 'x' }];
  const object = JSON.stringify({ ...NODE, status: { conditions } });

  const { lines } = await seenIn(object, 'json', [pattern('Degraded=True \\(', 'object:Node')]);

  expect(lines).toEqual([[1, 'Degraded=True: x', 'object:Node/n']]);
});

test('readObjects parses nothing for patterns that cannot apply to objects', async () => {
  const { lines } = await seenIn(LIST, 'json', [
    pattern('broken beyond', 'journal:node/*'),
    pattern('something else', '*'),
  ]);

  expect(lines).toEqual([]);
});

test('readObjects steps over what is no object', async () => {
  const { objects } = await seenIn(
    `{"items":[{"kind":"Pod",}, ${JSON.stringify(POD)}]}`,
    'json',
    [pattern('something else', '*')],
    ['Pod'],
  );

  expect(objects).toEqual([[1, 'p']]);
});
