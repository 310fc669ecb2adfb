import { expect, test } from 'vitest';
import { once } from '../../core/bytes.ts';
import { silentContext } from '../../core/context.ts';
import { type DiagnoseOptions, diagnose } from '../diagnose.ts';

const NOW = new Date('2026-08-20T12:00:00Z');
const REFUSED = 'depotctl: error: dial tcp 10.9.0.3:7777: connect: connection refused';

async function diagnosed(lines: readonly string[], options: DiagnoseOptions) {
  const open = () => once(Buffer.from(`${lines.join('\n')}\n`));
  const input = { name: 'paste.txt', modified: NOW, open };
  return diagnose(silentContext({ now: () => NOW }), [input], options);
}

async function alsoSaid(...lines: readonly string[]) {
  const diagnosis = await diagnosed(lines, { rules: [] });
  return diagnosis.alsoSaid.map(({ line, text }) => `${line} ${text}`);
}

test('a likely cause comes with what else the text states to be wrong', async () => {
  expect(
    await alsoSaid(
      'depot.db: checksum mismatch in /srv/depot.db, try to fix it',
      'depotd: begins',
      REFUSED,
    ),
  ).toEqual(['1 depot.db: checksum mismatch in /srv/depot.db, try to fix it']);
});

test('nothing is said twice: not the error itself, not what differs in numbers only', async () => {
  const broken = (shelf: number) => `error: shelf ${shelf} of "/srv/depot" is not readable`;

  expect(await alsoSaid(broken(1), broken(2), REFUSED, REFUSED)).toEqual([`1 ${broken(1)}`]);
});

test('a line that is told is not said again where what is shown of it was redacted', async () => {
  const line =
    'error: Preparing import: Fetching manifest: remote error: Get "https://cdn07.quay.io/sha256/aa?X-Amz-Credential=AAA%2F2026&X-Amz-Signature=77aa11&lid=not-there';
  const { likely, alsoSaid } = await diagnosed([line], {});

  expect(likely?.id).toBe('says-ostree-asks-source');
  expect(alsoSaid ?? []).toEqual([]);
});

test('no more than three stand beside it, those that tell the most, in their order', async () => {
  const unread = (box: string) => `error: the box "${box}" is not readable`;

  expect(
    await alsoSaid(
      unread('oak'),
      'the box "elm" is not here',
      unread('yew'),
      unread('ash'),
      REFUSED,
    ),
  ).toEqual([`1 ${unread('oak')}`, `3 ${unread('yew')}`, `4 ${unread('ash')}`]);
});

test('an error stands beside it though it names nothing, and what is no error does not', async () => {
  expect(await alsoSaid('error: no enabled depots', 'no enabled crates', REFUSED)).toEqual([
    '1 error: no enabled depots',
  ]);
});

test('what was typed, what is harmless and what states nothing does not stand beside it', async () => {
  expect(await alsoSaid('$ depotctl --not "a"', 'depotd: begins', REFUSED)).toEqual([]);
});

test('a cause that a rule names comes with what no rule explains, if the text is short', async () => {
  const named =
    'Error: Get "https://depot.lab.example:5000/v2/": x509: certificate signed by unknown authority';
  const broken = 'error: shelf 7 of "/srv/depot" is not readable';
  const told = await diagnosed([broken, named], {});
  const long = await diagnosed([broken, named, ...Array(2_000).fill('depotd: turns once')], {});

  expect(told.findings.some(({ kind }) => kind === 'root')).toBe(true);
  expect(told.likely).toBeUndefined();
  expect(told.noCause).toBeUndefined();
  expect(told.alsoSaid.map(({ text }) => text)).toEqual([broken]);
  expect(long.alsoSaid).toEqual([]);
});
