import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { logBundle, logBundleArchive, type Scenario } from '../../../test/support/log-bundle.ts';
import { tempDir } from '../../../test/support/temp.ts';
import { silentContext } from '../../core/context.ts';
import { LANES } from '../../openshift/bootstrap/step.ts';
import { readTimeline } from './read-timeline.ts';
import { timelineSvg } from './svg.ts';
import { createTimeline } from './timeline.ts';

async function svgOf(scenario: Scenario): Promise<string> {
  const path = join(await tempDir(), 'bundle.tar.gz');
  await writeFile(path, await logBundleArchive(logBundle(scenario)));
  return timelineSvg(await readTimeline(silentContext(), [path]));
}

/** Every tag closed in order, and nothing that XML forbids: enough for the subset that is written. */
function isWellFormed(svg: string): boolean {
  const open: string[] = [];
  for (const [, close, name = '', rest = ''] of svg.matchAll(/<(\/?)([a-z]+)([^<>]*)>/g)) {
    if (!/^(?:\s+[a-z-]+(?:[A-Z]\w+)?="[^"<&]*")*\s*\/?$/.test(rest)) return false;
    if (close) {
      if (open.pop() !== name) return false;
    } else if (!rest.endsWith('/')) open.push(name);
  }
  const text = svg.replace(/<[^<>]*>/g, '');
  return open.length === 0 && !/[<>]|&(?!#\d+;)/.test(text);
}

test.each(['healthy', 'node-image-pull', 'api-never-up', 'etcd-never-handed-over'] as const)(
  'timelineSvg draws the bundle "%s" well formed, with all lanes',
  async (scenario) => {
    const svg = await svgOf(scenario);

    expect(isWellFormed(svg)).toBe(true);
    for (const lane of LANES) expect(svg).toContain(`>${lane}</text>`);
  },
);

test('timelineSvg draws the same picture for the same evidence', async () => {
  expect(await svgOf('healthy')).toBe(await svgOf('healthy'));
});

test('timelineSvg escapes what logs put into it', () => {
  const timeline = createTimeline();
  const at = new Date('2026-08-20T10:00:00Z');
  const origins = ['journal:bootstrap/bootkube'];
  timeline.push({ kind: 'line', origins, at, text: 'Pod Status:a/<script>"&\u0007 Pending' });
  timeline.push({ kind: 'line', origins, at, text: 'Starting cluster-bootstrap...' });

  expect(isWellFormed(timelineSvg(timeline.state(at)))).toBe(true);
});

test('timelineSvg draws an empty timeline', () => {
  expect(isWellFormed(timelineSvg(createTimeline().state(new Date(0))))).toBe(true);
});
