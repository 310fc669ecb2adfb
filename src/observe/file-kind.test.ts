import { expect, test } from 'vitest';
import { kindOfContent } from './file-content-kind.ts';
import { kindOfPath } from './file-kind.ts';
import { whereMatcher } from './rules/where.ts';

const id = 'a'.repeat(64);

test.each([
  ['log-bundle-1/bootstrap/services/bootkube.json', 'record:bootkube'],
  ['var/log/openshift/release-image.json', 'record:release-image'],
  ['log-bundle-1/bootstrap/journals/crio.log', 'journal:bootstrap/crio'],
  ['log-bundle-1/unit-status/node-image-pull.service.log', 'journal:bootstrap/node-image-pull'],
  ['log-bundle-1/control-plane/10.0.1.5/journals/kubelet.log', 'journal:node/kubelet'],
  ['log-bundle-1/control-plane/10.0.1.5/unit-status/crio.service.txt', 'journal:node/crio'],
  [`log-bundle-1/bootstrap/containers/etcd-${id}.log`, 'pod:openshift-etcd/etcd'],
  ['log-bundle-1/serial/c1-bootstrap-serial.log', 'console:node'],
  ['log-bundle-1/serial/c1-bootstrap-serial.log', 'console:bootstrap'],
  ['console-output.txt', 'console:bootstrap'],
  ['log-bundle-1/failed-units.txt', 'file:failed-units.txt'],
  ['x/.openshift_install.log', 'installer-log'],
  ['working-dir/logs/mirroring_errors_20260820_101112.txt', 'cli:oc-mirror'],
  ['must-gather/q/namespaces/ns/pods/p-1/c/c/logs/current.log', 'pod:ns/p-1'],
  ['must-gather/q/host_service_logs/masters/crio_service.log', 'journal:node/crio'],
  ['.atoll/runs/1/events.ndjson', 'cli:atoll'],
])('kindOfPath knows %s', (path, origin) => {
  expect(kindOfPath(path)).toMatchObject({ origins: expect.arrayContaining([origin]) });
});

test('kindOfPath takes no console of a master for that of the bootstrap machine', () => {
  for (const path of [
    'x/serial/c1-master-0-serial.log',
    'x/serial/i-0ab.log',
    'master-console-log',
  ]) {
    expect(kindOfPath(path)).not.toMatchObject({
      origins: expect.arrayContaining(['console:bootstrap']),
    });
  }
});

test('kindOfPath asks each line of the whole journal of a master for its unit', () => {
  const path = 'log-bundle-1/control-plane/10.0.1.5/journals/journal.log';

  expect(kindOfPath(path)).toEqual({ format: 'journal', origins: [], machine: 'node' });
});

test('kindOfPath leaves out what is no log and asks for the content of what it does not know', () => {
  expect(kindOfPath('log-bundle-1/rendered-assets/openshift/manifests/x.yaml')).toBe('ignored');
  expect(kindOfPath('some/file.txt')).toBeUndefined();
});

test.each([
  ['__CURSOR=s=1\n__REALTIME_TIMESTAMP=1\n', 'journal-export'],
  ['{"__REALTIME_TIMESTAMP":"1","MESSAGE":"x"}\n', 'journal-json'],
  ['data: {"__REALTIME_TIMESTAMP":"1","MESSAGE":"x"}\n', 'journal-json'],
  ['[{"__REALTIME_TIMESTAMP":"1","MESSAGE":"x"}]', 'journal-list'],
  ['[\n\t{\n\t\t"__CURSOR" : "s=1",\n', 'journal-list'],
  ['bootstrap crio[1234]: x\n', 'journal'],
  ['[   19.2 <    0.1 >] host crio[1]: x\n', 'journal'],
  ['Aug 20 10:11:12 host crio[1]: x\n', 'journal'],
  ['-- Logs begin at Thu 2026 --\nAug 20 10:11:12 host crio[1]: x\n', 'journal'],
  ['time="2026-08-20T10:11:12Z" level=info msg="x"\n', 'logrus'],
  ['level=info msg=x\n', 'logrus'],
  ['INFO Waiting up to 20m0s (until 10:20AM UTC) for the Kubernetes API\n', 'logrus'],
  ['INFO some other tool\n', 'plain'],
  ['2026/08/20 10:11:12  [INFO]   : x\n', 'oc-mirror'],
  ['{"type":"image.failed","seq":1,"at":"x"}\n', 'own-events'],
  ['[{"timestamp":"x","phase":"service start"}]', 'record'],
  ['{"apiVersion":"v1","kind":"List","items":[]}', 'objects-json'],
  ['---\napiVersion: v1\n', 'objects-yaml'],
  ['--- FAIL: TestCrate (2.09s)\n    crate.go:64: no lid\n', 'plain'],
  [
    'apiVersion: v1\nkind: Depot\nlid: |\n  round it is indeed\n# words for people\n- a b c\n',
    'objects-yaml',
  ],
  ['apiVersion: v1\nkind: Depot\n$ depotctl seal\nerror: crate 7 has no lid\n', 'plain'],
  ['apiVersion: v1\nkind: Depot\nFATAL failed to fetch Install Config\n', 'logrus'],
  ['--- FAIL: crate 7 (3.09s)\n    error: no lid\n', 'plain'],
  ['just words\n', 'plain'],
])('kindOfContent takes %j for %s', (head, format) => {
  expect(kindOfContent(Buffer.from(head))?.format).toBe(format);
});

test('kindOfContent has no name for what is not text', () => {
  expect(kindOfContent(Buffer.from([1, 0, 2, 0]))).toBeUndefined();
});

test.each([
  ['journal:bootstrap/*', 'journal:bootstrap/crio', true],
  ['journal:bootstrap/*', 'journal:node/crio', false],
  ['object:Node', 'object:Node/master-0', true],
  ['object:Node', 'object:NodeMetrics/x', false],
  ['pod:openshift-etcd/etcd', 'pod:openshift-etcd/etcd-master-0', true],
  ['pod:openshift-etcd/etcd', 'pod:openshift-etcd/etcdctl', false],
  ['cli:oc-mirror', 'text:unknown', true],
  ['installer-log', 'cli:oc', false],
  ['*', 'journal:node/crio', true],
  ['object:Node', 'object:Node', true],
  ['object:Node/a', 'object:Node/a', true],
  ['object:Node/a', 'object:Node/a/b', false],
  ['pod:ns/a', 'pod:ns/a', true],
  ['cli:oc', 'cli:oc-mirror', false],
  ['file:/etc/issue.d/*.issue', 'file:/etc/issue.d/a.issue', true],
  ['file:/etc/issue.d/*.issue', 'file:/etc/issue.d/aXissue', false],
])('whereMatcher("%s") of %s is %s', (where, origin, fits) => {
  expect(whereMatcher(where)(origin)).toBe(fits);
});

const PLACED = (format: string, ...origins: readonly string[]) => ({ format, origins });

test.each([
  ['bootstrap/journals/journal.log.gz', { format: 'journal', origins: [], machine: 'bootstrap' }],
  [
    'bootstrap/journals/release-image-download.log',
    { ...PLACED('journal', 'journal:bootstrap/release-image'), machine: 'bootstrap' },
  ],
  [
    'bootstrap/journals/my-release-image-download-x.log',
    { ...PLACED('journal', 'journal:bootstrap/my-release-image-download-x'), machine: 'bootstrap' },
  ],
  [
    'bastion/journals/quay.log',
    { ...PLACED('journal', 'journal:bastion/quay'), machine: 'bastion' },
  ],
  [
    'control-plane/10.0.0.5/failed-units.txt',
    PLACED('plain', 'file:control-plane/10.0.0.5/failed-units.txt'),
  ],
  ['control-plane/10.0.0.5/containers/x-0123456789ab.log', PLACED('plain', 'pod:unknown/x')],
  ['bootstrap/pods/0123.log', PLACED('plain', 'journal:bootstrap/bootkube')],
  ['resources/nodes.json.gz', PLACED('objects-json')],
  ['my-stack-events-1.json', PLACED('objects-json')],
  ['namespaces/a/core/events.yaml', PLACED('objects-yaml')],
  ['x/clusterapi/capi.log', PLACED('logrus', 'installer-log')],
  [
    'working-dir/logs/mirroring_error_1.txt',
    PLACED('oc-mirror', 'cli:oc-mirror', 'file:working-dir/logs/mirroring_error_1.txt'),
  ],
  ['oc-mirror-v2.log', { ...PLACED('oc-mirror', 'cli:oc-mirror', 'text:unknown'), guessed: true }],
  ['skopeo-copy.txt', { ...PLACED('plain', 'cli:skopeo', 'text:unknown'), guessed: true }],
  [
    'quay-install.log',
    { ...PLACED('plain', 'cli:mirror-registry', 'text:unknown'), guessed: true },
  ],
  [
    'serial/i-0ab.log',
    PLACED('plain', 'console:node', 'aws:ec2-console-output', 'file:serial/i-0ab.log'),
  ],
  [
    'console_output.txt',
    {
      ...PLACED(
        'plain',
        'console:node',
        'aws:ec2-console-output',
        'console:bootstrap',
        'text:unknown',
      ),
      guessed: true,
    },
  ],
  ['bootstrap/services/crio.json', { ...PLACED('record', 'record:crio'), service: 'crio' }],
])('kindOfPath tells all of %s', (path, kind) => {
  expect(kindOfPath(path)).toEqual(kind);
});

const kindOf = (...lines: readonly string[]) => kindOfContent(Buffer.from(lines.join('\n')));
const JOURNAL = 'Aug 20 10:11:12 host crio[1]: x';

test.each([
  ['an export', ['__CURSOR=1', 'A=b'], { format: 'journal-export', origins: [] }],
  ['our own events', ['{"type":"a.b","seq":1}'], { format: 'own-events', origins: ['cli:atoll'] }],
  [
    'a sequence of JSON',
    ['\x1e{"__REALTIME_TIMESTAMP":"1"}'],
    { format: 'journal-json', origins: [] },
  ],
  [
    'verbose fields',
    ['Thu 2026-08-20 10:11:12.3 UTC [s=1]', '    MESSAGE=x'],
    { format: 'journal-fields', origins: [], guessed: true },
  ],
  [
    'a record',
    [' [', '{"phase" : "pre-command end"}]'],
    { format: 'record', origins: ['record:unknown'], service: 'unknown' },
  ],
  ['a list of objects', ['{', ' "items" : []}'], { format: 'objects-json', origins: [] }],
  ['other JSON', ['{"a":1}'], { format: 'plain', origins: [], guessed: true }],
  ['YAML', ['', 'kind: Node'], { format: 'objects-yaml', origins: [] }],
  [
    'YAML whose head is cut off in a key',
    ['apiVersion: v1', '- kind: Node', '# words', '}', 'meta'],
    { format: 'objects-yaml', origins: [] },
  ],
  [
    'a configuration, and below it what came of it',
    ['apiVersion: v1', 'baseDomain: fern.lan', '...', 'FATAL failed to fetch Fern Variables: x'],
    { format: 'logrus', origins: ['installer-log'], guessed: true },
  ],
  ['words about a kind', ['what kind: of'], { format: 'plain', origins: [], guessed: true }],
  [
    'an installer, after other words',
    ['words', 'INFO Waiting up to 20m0s for x'],
    { format: 'logrus', origins: ['installer-log'], guessed: true },
  ],
  [
    'a tool, after other words',
    ['words', 'level=info msg=x'],
    { format: 'logrus', origins: [], guessed: true },
  ],
  [
    'oc-mirror, after other words',
    ['words', '[INFO]   : x'],
    { format: 'oc-mirror', origins: ['cli:oc-mirror'], guessed: true },
  ],
  [
    'a journal, after other words',
    ['words', JOURNAL],
    { format: 'journal', origins: [], guessed: true },
  ],
  [
    'a journal far down',
    [...Array(199).fill('words'), JOURNAL],
    { format: 'journal', origins: [], guessed: true },
  ],
  [
    'a journal too far down',
    [...Array(200).fill('words'), JOURNAL],
    { format: 'plain', origins: [], guessed: true },
  ],
])('kindOfContent tells all of %s', (_, lines, kind) => {
  expect(kindOf(...lines)).toEqual(kind);
});

test('kindOfContent takes an export for text, though its values hold zeros, and nothing else', () => {
  expect(kindOf('__CURSOR=1', '\0')?.format).toBe('journal-export');
  expect(kindOf(`${'x'.repeat(2047)}\0`)).toBeUndefined();
  expect(kindOf(`${'x'.repeat(2048)}\0`)?.format).toBe('plain');
});
