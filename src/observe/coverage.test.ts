import { expect, test } from 'vitest';
import { createCoverage } from './coverage.ts';

const PARTS = ['journal', 'service records', 'control plane', 'API objects', 'console'];

function missingOf(...paths: readonly string[]): string[] {
  const coverage = createCoverage();
  for (const path of paths) coverage.file(path);
  const reasons = coverage.gaps().map(({ reason }) => reason);
  return PARTS.filter((part) => reasons.some((reason) => reason.includes(part)));
}

test('createCoverage misses nothing where there is no bundle', () => {
  expect(missingOf('notes.txt', 'crio.log')).toEqual([]);
});

test.each([
  ['log-bundle-20260820/failed-units.txt', PARTS],
  ['bootstrap/journals/journal.log', PARTS.slice(1)],
  ['log-bundle-1/bootstrap/journals/journal.log.gz', PARTS.slice(1)],
  ['bootstrap/services/bootkube.json', ['journal', ...PARTS.slice(2)]],
  [
    'x/control-plane/10.0.0.5/journals/kubelet.log',
    ['journal', 'service records', 'API objects', 'console'],
  ],
  ['log-bundle-1/resources/nodes.json', ['journal', 'service records', 'control plane', 'console']],
  ['log-bundle-1/serial/bootstrap.log', PARTS.slice(0, 4)],
])('createCoverage tells what is missing beside %s', (path, missing) => {
  expect(missingOf(path)).toEqual(missing);
});

test('createCoverage tells of files that could not be read first', () => {
  const coverage = createCoverage();
  coverage.file('bootstrap/containers/x.log');
  coverage.unread({ path: 'core', reason: 'not text' });

  const [first, second] = coverage.gaps();

  expect(first).toEqual({ path: 'core', reason: 'not text' });
  expect(second?.path).toBe('log bundle');
});
