import { formatLogrus } from '../../src/observe/formats/installer-log.ts';
import { formatShort, formatWithUnit } from '../../src/observe/formats/journal-text.ts';
import { formatServiceRecord } from '../../src/observe/formats/service-record.ts';

/** A file of a log bundle, a must-gather or an install directory. */
export interface PlacedSample {
  readonly path: string;
  readonly content: string;
}

type Sample = string | Readonly<Record<string, unknown>>;

const AT = new Date('2026-08-20T10:40:00Z');

/** Puts the sample of a rule where a line of that origin is found in real life. */
export function placeSample(where: string, sample: Sample): PlacedSample {
  if (typeof sample !== 'string') return json('resources/objects.json', { items: [sample] });
  const [kind = '', rest = ''] = where.split(/:(.*)/);
  const place = PLACES[kind];
  if (!place) throw new Error(`No place for "${where}"`);
  return place(rest, sample);
}

const PLACES: Readonly<Record<string, (rest: string, sample: string) => PlacedSample>> = {
  '*': (_, sample) => ({ path: 'notes.txt', content: `${sample}\n` }),
  journal: placeInJournal,
  cli: placeInToolLog,
  pod: placeInPodLog,
  object: placeInObject,
  'installer-log': (_, sample) => ({
    path: '.openshift_install.log',
    content: installerLine(sample),
  }),
  console: (_, sample) => ({ path: 'serial/master-0.log', content: `${sample}\n` }),
  record: (service, sample) => ({
    path: `bootstrap/services/${service}.json`,
    content: formatServiceRecord([
      { timestamp: '2026-08-20T10:39:00Z', phase: 'service start' },
      {
        timestamp: '2026-08-20T10:40:00Z',
        phase: 'service end',
        result: 'failure',
        errorMessage: `one line before\n${sample}\none line after`,
      },
    ]),
  }),
  file: (path, sample) => ({
    path: path
      .replace('*', path.includes('containers') ? `-${'a'.repeat(64)}` : '20260820')
      .replace(/^\//, ''),
    content: `${sample}\n`,
  }),
  event: (reason, sample) =>
    json('resources/events.json', {
      kind: 'List',
      items: [{ kind: 'Event', reason, message: sample, lastTimestamp: AT.toISOString() }],
    }),
  aws: (service, sample) =>
    service === 'ec2-console-output'
      ? { path: 'console-output.txt', content: `${sample}\n` }
      : json('stack-events.json', {
          StackEvents: [
            { LogicalResourceId: 'Vpc', ResourceStatus: 'X', ResourceStatusReason: sample },
          ],
        }),
};

const json = (path: string, value: unknown): PlacedSample => ({
  path,
  content: JSON.stringify(value, null, 2),
});

function placeInJournal(rest: string, sample: string): PlacedSample {
  const [machine = '', unit = ''] = rest.split('/');
  const folder = { bootstrap: 'bootstrap', bastion: 'bastion', node: 'control-plane/10.0.1.5' }[
    machine
  ];
  const [, program, message] = /^([\w.-]+)\[\d+\]: (.*)$/.exec(sample) ?? [];
  const entry = {
    at: AT,
    host: `${machine}-0`,
    unit: unit === '*' ? 'kubelet.service' : `${unit}.service`,
    program: program ?? unit.replace('*', 'kubelet'),
    pid: 99,
    message: message ?? sample,
  };
  // The whole journal for rules that take any unit, the journal of one unit for the others.
  if (machine === 'bootstrap' && unit === '*') {
    return { path: 'bootstrap/journals/journal.log', content: `${formatWithUnit(entry)}\n` };
  }
  const file = unit === '*' ? 'kubelet' : unit;
  return { path: `${folder}/journals/${file}.log`, content: `${formatShort(entry)}\n` };
}

function placeInToolLog(tool: string, sample: string): PlacedSample {
  if (tool === 'atoll') return { path: 'events.ndjson', content: `${ownEvent(sample)}\n` };
  const name = tool === '*' ? 'output' : tool.replace('openshift-install-', '');
  return { path: `${name}.log`, content: `starting\n${sample}\n` };
}

function ownEvent(sample: string): string {
  const [, type, code, source, message] = /^(\S+) \[(\w+)\] (\S+): (.*)$/.exec(sample) ?? [];
  return JSON.stringify({ type, source, target: 'm', code, message, seq: 1, at: AT.toISOString() });
}

function placeInPodLog(rest: string, sample: string): PlacedSample {
  const [namespace = '', name = ''] = rest.split('/');
  const pod = name === '' || name === '*' ? 'something-7d9f' : `${name}-ip-10-0-1-5`;
  const path = `namespaces/${namespace.replace('*', 'x')}/pods/${pod}/c/c/logs/current.log`;
  return { path, content: `${AT.toISOString()} ${sample}\n` };
}

function placeInObject(rest: string, sample: string): PlacedSample {
  const [kind, name = 'one'] = rest.split('/');
  const condition = { type: 'Sampled', status: 'True', reason: 'Sample', message: sample };
  const object = { kind, metadata: { name }, status: { conditions: [condition] } };
  return json('resources/objects.json', { apiVersion: 'v1', kind: 'List', items: [object] });
}

function installerLine(sample: string): string {
  const [, level = 'info', message = sample] = /^level=(\w+) msg=(.*)$/.exec(sample) ?? [];
  return `${formatLogrus(AT, level, message)}\n`;
}
