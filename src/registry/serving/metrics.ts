/** Numbers of one process, by name and labels, that can be added to those of others. */
export type Snapshot = Readonly<Record<string, number>>;

/** What is counted, in Prometheus' words. */
export interface Metrics {
  requestDone(route: string, method: string, status: number, seconds: number): void;
  bytes(received: number, sent: number): void;
  uploadStarted(): void;
  uploadEnded(): void;
  uploadsActive(): number;
  count(name: CounterName): void;
  snapshot(): Snapshot;
}

const COUNTERS = {
  damaged_blobs: 'Blobs found damaged and moved aside',
  login_failures: 'Requests with a wrong password',
  logins_throttled: 'Requests refused because too many passwords waited to be checked',
  cache_hits: 'Pull-through requests answered from the cache',
  cache_misses: 'Pull-through requests that went to the upstream',
} as const;

export type CounterName = keyof typeof COUNTERS;

/** Clients choose the method; they must not fill the memory with it. */
const MAX_SERIES = 500;

const PREFIX = 'atoll_registry_';

const HELP: Readonly<Record<string, readonly [type: string, help: string]>> = {
  requests_total: ['counter', 'Requests by route, method and status'],
  request_seconds_total: ['counter', 'Time spent on requests by route, method and status'],
  received_bytes_total: ['counter', 'Bytes of request bodies'],
  sent_bytes_total: ['counter', 'Bytes of responses'],
  uploads_active: ['gauge', 'Request bodies being received'],
  resident_memory_bytes: ['gauge', 'Memory of all processes'],
  processes: ['gauge', 'Serving processes'],
  disk_free_bytes: ['gauge', 'Free space of the disk the store is on'],
  upkeep_running: ['gauge', 'Whether the job runs now'],
  upkeep_runs_total: ['counter', 'How often the job was started'],
  upkeep_failures_total: ['counter', 'How often the job failed'],
  upkeep_success_seconds: ['gauge', 'When the job last ended well, in Unix time'],
  upkeep_freed_bytes: ['gauge', 'What the last collection of garbage freed'],
  upkeep_problems: ['gauge', 'Damaged or missing content that the last scrub found'],
  certificate_expiry_seconds: ['gauge', 'When the certificate expires, in Unix time'],
};

export function createMetrics(): Metrics {
  const values = new Map<string, number>();
  const requests = new Map<string, { count: number; seconds: number }>();
  const bytes = { received: 0, sent: 0 };
  let active = 0;
  const add = (key: string, amount: number) => values.set(key, (values.get(key) ?? 0) + amount);
  for (const name of Object.keys(COUNTERS)) add(`${name}_total`, 0);
  return {
    requestDone(route, method, status, seconds) {
      const key = `route="${route}",method="${method}",status="${status}"`;
      const known = requests.get(key);
      if (known) {
        known.count += 1;
        known.seconds += seconds;
      } else if (requests.size < MAX_SERIES) requests.set(key, { count: 1, seconds });
    },
    bytes(received, sent) {
      bytes.received += received;
      bytes.sent += sent;
    },
    uploadStarted: () => {
      active += 1;
    },
    uploadEnded: () => {
      active -= 1;
    },
    uploadsActive: () => active,
    count: (name) => add(`${name}_total`, 1),
    snapshot: () => ({
      ...Object.fromEntries(values),
      ...requestValues(requests),
      received_bytes_total: bytes.received,
      sent_bytes_total: bytes.sent,
      uploads_active: active,
      processes: 1,
      resident_memory_bytes: process.memoryUsage.rss(),
    }),
  };
}

function requestValues(
  requests: ReadonlyMap<string, { readonly count: number; readonly seconds: number }>,
): Snapshot {
  return Object.fromEntries(
    [...requests].flatMap(([labels, { count, seconds }]) => [
      [`requests_total{${labels}}`, count],
      [`request_seconds_total{${labels}}`, seconds],
    ]),
  );
}

export function sumSnapshots(snapshots: readonly Snapshot[]): Snapshot {
  const total: Record<string, number> = {};
  for (const snapshot of snapshots) {
    for (const [key, value] of Object.entries(snapshot)) total[key] = (total[key] ?? 0) + value;
  }
  return total;
}

/** The exposition format: https://prometheus.io/docs/instrumenting/exposition_formats/ */
export function formatMetrics(snapshot: Snapshot): string {
  const lines: string[] = [];
  let described = '';
  for (const key of Object.keys(snapshot).toSorted()) {
    const name = key.replace(/\{.*$/, '');
    if (name !== described) lines.push(...describeMetric(name));
    described = name;
    lines.push(`${PREFIX}${key} ${snapshot[key]}`);
  }
  return `${lines.join('\n')}\n`;
}

function describeMetric(name: string): string[] {
  const counter = COUNTERS[name.replace(/_total$/, '') as CounterName];
  const [type, help] = HELP[name] ?? ['counter', counter ?? name];
  return [`# HELP ${PREFIX}${name} ${help}`, `# TYPE ${PREFIX}${name} ${type}`];
}
