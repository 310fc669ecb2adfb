import { expect, test } from 'vitest';
import { createMetrics, formatMetrics, sumSnapshots } from './metrics.ts';

test('formatMetrics describes each metric once, and numbers of processes add up', () => {
  const [one, two] = [createMetrics(), createMetrics()];
  one.requestDone('blob', 'GET', 200, 0.5);
  two.requestDone('blob', 'GET', 200, 0.25);
  two.requestDone('blob', 'GET', 404, 0.25);
  two.bytes(10, 20);
  two.count('damaged_blobs');

  const text = formatMetrics(sumSnapshots([one.snapshot(), two.snapshot()]));

  expect(text.match(/# TYPE atoll_registry_requests_total counter/g)).toHaveLength(1);
  expect(text).toContain(
    'atoll_registry_requests_total{route="blob",method="GET",status="200"} 2\n',
  );
  expect(text).toContain('atoll_registry_sent_bytes_total 20\n');
  expect(text).toContain('atoll_registry_damaged_blobs_total 1\n');
  expect(text).toContain('atoll_registry_processes 2\n');
});
