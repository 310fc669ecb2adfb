import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tempDir } from '../../test/support/temp.ts';
import { silentContext } from '../core/context.ts';
import type { EvidenceLine } from './evidence.ts';
import { findSuspicious } from './suspicious.ts';

const now = () => new Date('2026-08-21T00:00:00Z');

async function look(
  files: Readonly<Record<string, readonly string[]>> | readonly string[],
  isHarmless: (line: EvidenceLine) => boolean = () => false,
) {
  const root = await tempDir();
  const all = Array.isArray(files) ? { 'a.log': files } : files;
  for (const [name, lines] of Object.entries(all))
    await writeFile(join(root, name), `${lines.join('\n')}\n`);
  return findSuspicious(silentContext({ now }), [root], {}, isHarmless);
}

const textsOf = ({ lines }: Awaited<ReturnType<typeof look>>) => lines.map(({ text }) => text);
const at = (minute: number, text: string) =>
  `Aug 20 10:${String(minute).padStart(2, '0')}:00 master-0 gizmo[1]: ${text}`;

test('findSuspicious puts the worst first, and of equals the rarer', async () => {
  const found = await look([
    ...['gizmo forbidden to go', 'gizmo forbidden to go'],
    'widget is not found',
    'frob failed to turn',
    'gizmo panic: lost its marbles',
  ]);

  expect(textsOf(found)).toEqual([
    'gizmo panic: lost its marbles',
    'frob failed to turn',
    'gizmo forbidden to go',
  ]);
});

test('findSuspicious begins with what a text states of a thing, where nothing in it decides', async () => {
  const stated = "the lid 'oak' is not in group depot";
  const found = await look([stated, 'frob failed to turn', ...Array(9).fill('frob was started')]);

  expect(found.likely).toBeUndefined();
  expect(textsOf(found)).toEqual([stated, 'frob failed to turn']);
});

test('findSuspicious adds up what a line holds', async () => {
  const found = await look(['permission denied', 'unable to write: permission denied']);

  expect(textsOf(found)).toEqual(['unable to write: permission denied', 'permission denied']);
});

test('findSuspicious tells where a line stands, when it was said and how often one like it', async () => {
  const { lines } = await look([
    'fine',
    at(1, 'unable to read blob 12ab'),
    at(2, 'unable to read blob 9f00'),
  ]);

  expect(lines).toMatchObject([
    {
      line: 2,
      at: '2026-08-20T10:01:00.000Z',
      text: 'unable to read blob 12ab',
      count: 2,
    },
  ]);
});

test('findSuspicious shows ten lines and no more, and no endless one', async () => {
  const names = [...'ghijklmnopqrst'];
  const found = await look(names.map((name) => `${name} failed ${name.repeat(700)}`));

  expect(found.lines).toHaveLength(10);
  expect(found.lines[0]?.text).toHaveLength(600);
});

test('findSuspicious takes the first real error in time that is not harmless', async () => {
  const lines = [
    at(9, 'level=error msg=last'),
    at(3, 'permission denied for this'),
    at(2, 'no such host as that'),
    at(1, 'unable to wait'),
  ];

  const found = await look(lines, ({ text }) => text.startsWith('no such host'));

  expect(found.firstError).toMatchObject({ line: 2, text: 'permission denied for this' });
  expect((await look(lines)).firstError).toMatchObject({ line: 3 });
});

test('findSuspicious takes without a time the first error that it reads, and none for none', async () => {
  const found = await look(['x', 'permission denied', 'no such host']);

  expect(found.firstError).toEqual({
    file: expect.any(String),
    line: 2,
    text: 'permission denied',
  });
  expect(await look(['unable to wait'])).not.toHaveProperty('firstError');
});

test('findSuspicious tells where the lines come from that it looked at', async () => {
  const found = await look([at(1, 'frob failed to turn'), 'error: unable to read']);

  expect([...found.origins]).toContain('journal:node/gizmo');
  expect([...found.origins]).toContain('cli:oc');
});

test('findSuspicious finds nothing in what goes well', async () => {
  expect(await look(['all is well', 'and goes on', 'page not found'])).toMatchObject({ lines: [] });
});

test('findSuspicious tells the error that a text ends with, and none that is harmless', async () => {
  const lines = [
    'error: could not begin',
    'error: could not go on',
    'error: could not say goodbye',
  ];

  const { lastError } = await look(lines, ({ text }) => text.includes('goodbye'));

  expect(lastError).toMatchObject({ line: 2, text: 'error: could not go on' });
});
