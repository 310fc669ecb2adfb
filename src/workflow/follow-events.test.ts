import { appendFile, truncate } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { tempDir } from '../../test/support/temp.ts';
import { encodeLine } from '../core/checked-line.ts';
import { silentContext } from '../core/context.ts';
import { eventLogPath, openEventLog } from './event-log.ts';
import { EventFollower } from './follow-events.ts';

test('EventFollower gives each event once, as the log grows, and waits for the end of a line', async () => {
  const folder = await tempDir();
  const follower = new EventFollower(folder);
  expect(await follower.read()).toEqual([]);
  const log = await openEventLog(silentContext(), folder);
  log.record({ type: 'note.added', message: 'one' });
  log.record({ type: 'note.added', message: 'two' });
  await log.close();

  expect((await follower.read()).map(({ seq }) => seq)).toEqual([1, 2]);

  const line = encodeLine({
    seq: 3,
    at: '2026-01-01T00:00:00Z',
    type: 'note.added',
    message: 'drei ✓',
  });
  const bytes = Buffer.from(line);
  // Cut within a character: a writer may be caught anywhere.
  await appendFile(eventLogPath(folder), bytes.subarray(0, bytes.indexOf('✓') + 1));
  expect(await follower.read()).toEqual([]);
  await appendFile(eventLogPath(folder), bytes.subarray(bytes.indexOf('✓') + 1));
  expect(await follower.read()).toMatchObject([{ seq: 3, message: 'drei ✓' }]);
});

test('EventFollower leaves out torn lines and kinds it does not know', async () => {
  const folder = await tempDir();
  const path = eventLogPath(folder);
  const torn = encodeLine({ seq: 1, at: 'x', type: 'note.added', message: 'torn' });
  await appendFile(path, torn);
  await truncate(path, torn.length - 9);
  await appendFile(path, `\n${encodeLine({ seq: 2, at: 'x', type: 'moon.landed' })}`);
  await appendFile(path, encodeLine({ seq: 3, at: 'x', type: 'note.added', message: 'whole' }));

  expect((await new EventFollower(folder).read()).map(({ seq }) => seq)).toEqual([3]);
});
