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
])('whereMatcher("%s") of %s is %s', (where, origin, fits) => {
  expect(whereMatcher(where)(origin)).toBe(fits);
});
