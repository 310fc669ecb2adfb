import { expect, test } from 'vitest';
import { MemoryRegistry } from '../../../test/support/memory-content.ts';
import { FakeScreen } from '../../../test/support/screen.ts';
import { plainReporter } from '../../cli/reporters/choose.ts';
import { prettyReporter } from '../../cli/reporters/pretty.ts';
import { createStyle } from '../../cli/style.ts';
import { type Context, recordingContext, silentContext } from '../../core/context.ts';
import { AtollError } from '../../core/errors.ts';
import { copyImages } from './copy-images.ts';
import type { ImageJob } from './job.ts';

const style = createStyle(false);

/** A run that was stopped: of three images one is there, and of another its first layer. */
async function interrupted() {
  const [up, down] = [new MemoryRegistry('up.test'), new MemoryRegistry('down.test')];
  const jobs = ['one', 'two', 'three'].map((path): ImageJob => {
    up.repository(path).addImage([`base of ${path}`, `layer of ${path}`], 'v1');
    const [source, target] = [up.repository(path), down.repository(path)];
    const names = { from: `up.test/${path}:v1`, to: `down.test/${path}:v1` };
    return { source, target, reference: 'v1', tags: ['v1'], ...names };
  });
  await copyImages(silentContext(), { images: jobs.slice(0, 1) });
  const [base] = up.repository('two').blobs;
  if (base) down.repository('two').blobs.set(...base);
  return { jobs, thereBytes: base?.[1].length ?? 0 };
}

test('a resumed run says at once what was there, and counts only the bytes that it moves', async () => {
  const { jobs, thereBytes } = await interrupted();
  const ctx = recordingContext();

  const report = await copyImages(ctx, { images: jobs });

  const told = ctx.events.filter((event) => event.type === 'task.progressed');
  const [first] = told.filter(({ task }) => task === 'copy');
  expect(first).toMatchObject({ doneItems: 1, totalItems: 3, note: '1 of 3 were there' });
  expect(ctx.events).toContainEqual(
    expect.objectContaining({
      ...{ type: 'task.started', task: 'copy' },
      totalBytes: report.blobs.copiedBytes + thereBytes,
    }),
  );
  // What is there does not count as moved: the rate and what is left are true.
  const { copiedBytes } = report.blobs;
  expect(told.at(-1)).toMatchObject({ doneBytes: copiedBytes, totalBytes: copiedBytes });
  expect(report.blobs).toMatchObject({ reused: 1, reusedBytes: thereBytes });
});

test('a resumed run tells each image once in a pipe, and on a screen only how many', async () => {
  const { jobs } = await interrupted();
  const [screen, pipe] = [new FakeScreen(160), new FakeScreen(160)];
  const pretty = prettyReporter({ screen, style, verbosity: 'normal', nowMs: () => 0 });
  const plain = plainReporter(pipe, style, 'normal');
  const emit: Context['emit'] = (event) => {
    pretty.report(event);
    plain.report(event);
  };

  await copyImages(silentContext({ emit }), { images: jobs, title: 'Mirroring images' });
  pretty.close();

  for (const { from } of jobs)
    expect(pipe.text.filter((line) => line.includes(from))).toHaveLength(1);
  expect(pipe.text.filter((line) => line.startsWith('='))).toEqual([
    '= up.test/one:v1 → down.test/one:v1: already there',
  ]);
  expect(screen.text.join('\n')).not.toContain('up.test/');
  expect(screen.text.filter((line) => line.includes('Mirroring images'))).toEqual([
    expect.stringMatching(/^✓ Mirroring images: .* 1 were there; 1 of the images were there/),
  ]);
});

test('copyImages says how many bytes may have to move before any does, and stops when they are too many', async () => {
  const { jobs, thereBytes } = await interrupted();
  const asked: number[] = [];
  const full = new AtollError('DISK_FULL', 'no room');
  const planned = async (bytes: number) => {
    asked.push(bytes);
    throw full;
  };
  const ctx = recordingContext();

  await expect(copyImages(ctx, { images: jobs, planned })).rejects.toBe(full);

  expect(ctx.events.filter(({ type }) => type.startsWith('blob.'))).toEqual([]);
  const { blobs } = await copyImages(silentContext(), { images: jobs });
  expect(asked).toEqual([blobs.copiedBytes + thereBytes]);
});
