import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { logBundle, logBundleArchive, writeLogBundle } from '../../test/support/log-bundle.ts';
import { tempDir } from '../../test/support/temp.ts';
import { silentContext } from '../core/context.ts';
import { type Diagnosis, diagnose } from './diagnose.ts';
import { formatJournalExport } from './formats/journal-export.ts';
import { formatJournalJson } from './formats/journal-json.ts';
import { formatWithUnit } from './formats/journal-text.ts';

/** Dates without a year end here: the tests hold in any year. */
const now = () => new Date('2026-08-21T00:00:00Z');

async function diagnoseFile(
  path: string,
  content: string | Buffer,
  origin?: string,
): Promise<Diagnosis> {
  const root = await tempDir();
  await mkdir(dirname(join(root, path)), { recursive: true });
  await writeFile(join(root, path), content);
  return diagnose(silentContext({ now }), [root], { origin });
}

test('diagnose knows a file by its whole path, wherever the walk began', async () => {
  const journals = join(await tempDir(), 'bootstrap', 'journals');
  await mkdir(journals, { recursive: true });
  await writeFile(
    join(journals, 'crio.log'),
    'Aug 20 10:11:12 x crio[1]: no space left on device\n',
  );

  expect(idsOf(await diagnose(silentContext({ now }), [journals]))).toEqual(['boot-disk-full']);
});

const idsOf = ({ findings }: Diagnosis) => findings.map(({ id }) => id);

const PULL =
  'Error: initializing source docker://quay.io/a/b@sha256:ab: (Mirrors also failed: [mirror.lab:5000/a/b@sha256:ab: reading manifest sha256:ab in mirror.lab:5000/a/b: unauthorized: authentication required]): quay.io/a/b@sha256:ab: pinging container registry quay.io: Get "https://quay.io/v2/": dial tcp: i/o timeout';
const ENTRY = {
  at: new Date('2026-08-20T10:11:12Z'),
  host: 'bootstrap',
  unit: 'node-image-pull.service',
  program: 'podman',
  pid: 7,
  message: PULL,
};

test('diagnose explains a stuck node-image-pull by what the mirror said', async () => {
  const path = join(await tempDir(), 'log-bundle.tar.gz');
  await writeFile(path, await logBundleArchive(logBundle('node-image-pull')));

  const diagnosis = await diagnose(silentContext({ now }), [path]);

  const [first, second] = diagnosis.findings;
  expect(first).toMatchObject({ id: 'boot-pull-x509', kind: 'root', count: 240 });
  expect(first?.mirrors[0]?.error).toContain('x509: certificate signed by unknown authority');
  expect(first?.commands[0]).toContain('mirror.lab:5000');
  expect(first?.evidence[0]).toMatchObject({ line: 7, at: '2026-08-20T10:00:32.000Z' });
  expect(second).toMatchObject({ id: 'boot-mco-image-query', kind: 'symptom' });
  expect(diagnosis.bootstrap).toMatchObject({ verdict: 'stuck', step: { id: 'node-image-pull' } });
});

test('diagnose finds the same in a bundle that is unpacked and partial', async () => {
  const bundle = logBundle('api-never-up');
  bundle.files.delete('bootstrap/services/bootkube.json');
  const root = await writeLogBundle(await tempDir(), bundle);

  const diagnosis = await diagnose(silentContext({ now }), [root]);

  expect(idsOf(diagnosis)).toEqual(['boot-mirror-missing-image']);
  expect(diagnosis.findings[0]?.count).toBe(40);
  expect(diagnosis.unread.map(({ reason }) => reason).join()).toContain('No logs of control plane');
});

test.each([
  ['text', 'journal.txt', `${formatWithUnit(ENTRY)}\n`],
  ['gzipped text', 'journal.txt.gz', gzipSync(`${formatWithUnit(ENTRY)}\n`)],
  ['json', 'journal.json', `${formatJournalJson(ENTRY)}\n`],
  ['json-seq', 'journal.txt', `\x1e${formatJournalJson(ENTRY)}\n`],
  ['export', 'journal.export', formatJournalExport(ENTRY)],
  [
    'json with bytes',
    'j.json',
    formatJournalJson(ENTRY).replace(JSON.stringify(PULL), JSON.stringify([...Buffer.from(PULL)])),
  ],
])('diagnose reads a journal as %s', async (_, name, content) => {
  const diagnosis = await diagnoseFile(name, content);

  expect(idsOf(diagnosis)).toEqual(['boot-pull-unauthorized']);
  expect(diagnosis.findings[0]?.firstAt).toBe('2026-08-20T10:11:12.000Z');
});

test('diagnose reads pod logs, services of nodes and objects of a must-gather', async () => {
  const root = await tempDir();
  const files = {
    'must-gather/q/namespaces/openshift-marketplace/pods/cs-x/registry/registry/logs/current.log':
      '2026-08-20T10:11:12.000000000Z time="..." level=fatal msg="integrity check failed: cache requires rebuild"\n',
    'must-gather/q/host_service_logs/masters/kubelet_service.log':
      'Aug 20 10:11:12 master-0 kubenswrapper[2]: E0820 x] "Certificate request was not signed" err="timed out"\n',
    'must-gather/q/cluster-scoped-resources/config.openshift.io/clusteroperators/openshift-samples.yaml':
      '---\napiVersion: config.openshift.io/v1\nkind: ClusterOperator\nmetadata:\n  name: openshift-samples\nstatus:\n  conditions:\n  - type: Degraded\n    status: "True"\n    reason: FailedImageImports\n    message: Samples installed\n',
    'must-gather/q/namespaces/x/core/events.yaml':
      '---\napiVersion: v1\nitems:\n- kind: Event\n  reason: Failed\n  lastTimestamp: "2026-08-20T10:00:00Z"\n  message: registry quay.io/x is\n    blocked in /etc/containers/registries.conf\nkind: EventList\n',
  };
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), content);
  }

  const diagnosis = await diagnose(silentContext({ now }), [root]);

  expect(idsOf(diagnosis).toSorted()).toEqual([
    'inst-catalog-cache',
    'inst-samples-import',
    'node-csr-not-signed',
    'node-registry-blocked',
  ]);
});

test('diagnose applies a rule only to the origin it names', async () => {
  const x509 = 'x509: certificate signed by unknown authority';

  expect(idsOf(await diagnoseFile('oc-mirror.log', `[ERROR]  : ${x509}\n`))).toEqual([
    'sync-x509-in-its-log',
  ]);
  expect(
    idsOf(await diagnoseFile('namespaces/a/pods/b/c/c/logs/current.log', `${x509}\n`)),
  ).toEqual([]);
});

test('diagnose takes the word of the user for text nothing identifies', async () => {
  const line = 'Certificate request was not signed\n';

  expect(idsOf(await diagnoseFile('notes.txt', line, 'cli:oc'))).toEqual([]);
  expect(idsOf(await diagnoseFile('notes.txt', line, 'journal:node/kubelet'))).toEqual([
    'node-csr-not-signed',
  ]);
});

test('diagnose leaves look-alikes out and counts them', async () => {
  const line = "systemd[1]: node-image-finish.service: Failed with result 'signal'.";
  const content = `Aug 20 10:11:12 bootstrap ${line}\n`;

  const diagnosis = await diagnoseFile('bootstrap/journals/x.log', content);

  expect(diagnosis.findings).toEqual([]);
  expect(diagnosis.benign).toEqual([
    {
      id: 'boot-node-image-finish-signal',
      count: 1,
      cause: expect.stringContaining('multi-user.target'),
    },
  ]);
});

test('diagnose admits that it knows no cause and shows the most suspicious lines', async () => {
  const noise = Array.from({ length: 50 }, (_, at) => `step ${at} went well`);
  const content = [...noise, 'gizmo: panic: frobnicator lost its marbles', ...noise, ''].join('\n');

  const diagnosis = await diagnoseFile('gizmo.log', content);

  expect(diagnosis.findings).toEqual([]);
  expect(diagnosis.suspicious[0]).toMatchObject({ line: 51, count: 1 });
});

test('diagnose shows no credential in its evidence', async () => {
  const line = 'Get "https://robot:geheim123@mirror.lab:5000/v2/": 401 Unauthorized';

  const diagnosis = await diagnoseFile('oc-mirror.log', `${line}\n`);

  expect(idsOf(diagnosis)).toEqual(['mirror-unauthorized']);
  expect(JSON.stringify(diagnosis)).not.toContain('geheim123');
});

test.each(['pinging container registry a: ', 'initializing source ', '(Mirrors also failed: '])(
  'diagnose gets to the end of a line of a megabyte made to hold it up: %s',
  async (words) => {
    const line = `Aug 20 10:11:12 b crio[1]: ${words.repeat(1024 * (1024 / words.length))}\n`;
    const full = 'Aug 20 10:11:13 b crio[1]: no space left on device\n';

    const diagnosis = await diagnoseFile('bootstrap/journals/crio.log', line + full);

    expect(diagnosis.findings.at(0)).toMatchObject({
      id: 'boot-disk-full',
      evidence: [{ line: 2 }],
    });
  },
  120_000,
);

test('diagnose finds what is in the middle of a long line, and who wrote it', async () => {
  const noise = 'x'.repeat(300_000);
  const line = `Thu 2026-08-20 10:11:12 UTC b node-image-pull.service[7]: ${noise} ${PULL} ${noise}\n`;

  const { findings } = await diagnoseFile('journal.txt', line);

  expect(findings).toMatchObject([
    { id: 'boot-pull-unauthorized', count: 1, firstAt: '2026-08-20T10:11:12.000Z' },
  ]);
});

test('diagnose stays on its feet where objects are nested without end or hold nothing', async () => {
  const deep = `{"kind":"Pod","status":${'{"a":'.repeat(20_000)}"ErrImagePull"${'}'.repeat(20_000)}}`;
  const root = await tempDir();
  await mkdir(join(root, 'resources'));
  await mkdir(join(root, 'namespaces'));
  await writeFile(join(root, 'resources', 'pods.json'), `{"items":[${deep}]}`);
  await writeFile(join(root, 'namespaces', 'empty.yaml'), '\n'.repeat(2_000_000));
  await writeFile(
    join(root, 'resources', 'z.json'),
    '{"items":[{"kind":"Event","reason":"Failed","message":"ErrImagePull"}]}',
  );

  expect(idsOf(await diagnose(silentContext({ now }), [root]))).toEqual([
    'node-image-pull-backoff',
  ]);
});

test.each([
  [
    'of a journal',
    'j.json',
    '{"__REALTIME_TIMESTAMP":"9e30","_HOSTNAME":"bootstrap","_SYSTEMD_UNIT":"crio.service","MESSAGE":"no space left on device"}',
  ],
  [
    'of an export',
    'j.export',
    '__REALTIME_TIMESTAMP=9e30\n_HOSTNAME=bootstrap\n_SYSTEMD_UNIT=crio.service\nMESSAGE=no space left on device\n\n',
  ],
  [
    'of an object',
    'resources/etcds.json',
    '{"items":[{"kind":"Etcd","status":{"conditions":[null,{"type":"EtcdBootstrapMemberRemoved","status":"True"}]}}]}',
  ],
  [
    'of a record',
    'bootstrap/services/bootkube.json',
    '[{"timestamp":"once","phase":"service end","result":"failure","errorMessage":"no space left on device"}]',
  ],
])('diagnose is not stopped by a time %s that is none', async (_, path, content) => {
  const diagnosis = await diagnoseFile(path, content);

  expect(idsOf(diagnosis)).toEqual(path.startsWith('j.') ? ['boot-disk-full'] : []);
});

test('diagnose puts nothing of a log into a command or on a terminal that could act there', async () => {
  const line = `\x1b]0;x\x07pinging container registry $(reboot): Get "https://a/v2/": x509: certificate signed by unknown authority`;

  const { findings } = await diagnoseFile('bootstrap/journals/crio.log', `${line}\n`);

  expect(findings[0]?.id).toBe('boot-pull-x509');
  expect(findings[0]?.commands.join()).toContain('<host>');
  expect(findings[0]?.commands.join()).not.toContain('reboot');
  expect(findings[0]?.evidence[0]?.text).toMatch(/^pinging/);
});

test('diagnose refuses a device with a word instead of waiting for it', async () => {
  await expect(diagnose(silentContext({ now }), ['/dev/null'])).rejects.toThrow(
    'pipe, socket or device',
  );
});

test('diagnose reads a journal in every form it can be saved in, and another month', async () => {
  const said = 'no space left on device';
  const forms = [
    `Aug 20 10:11:12 bootstrap crio[1]: ${said}`,
    `août 20 10:11:12 bootstrap crio[1]: ${said}`,
    `20. Aug 10:11:12 bootstrap crio[1]: ${said}`,
    `1787220672.123456 bootstrap crio[1]: ${said}`,
    `[   19.234567] bootstrap crio[1]: ${said}`,
    `crio[1]: ${said}`,
    `> Aug 20 10:11:12 bootstrap crio[1]: ${said}\r`,
    `Thu 2026-08-20 10:11:12.000001 UTC [s=1;i=2]\n    _HOSTNAME=bootstrap\n    _SYSTEMD_UNIT=crio.service\n    MESSAGE=${said}`,
    `{\n\t"__REALTIME_TIMESTAMP" : "1787220672000000",\n\t"_HOSTNAME" : "bootstrap",\n\t"_SYSTEMD_UNIT" : "crio.service",\n\t"MESSAGE" : "${said}"\n}`,
  ];
  for (const form of forms) {
    const { findings } = await diagnoseFile('notes.txt', `${form}\n`);
    expect([form, findings.map(({ causeId }) => causeId)]).toEqual([form, ['disk-too-small']]);
  }
  const utf16 = Buffer.from(`\ufeff${forms[0]}\n`, 'utf16le');
  expect((await diagnoseFile('notes.txt', utf16)).findings[0]?.causeId).toBe('disk-too-small');
});

test('diagnose says what it could not look at', async () => {
  const diagnosis = await diagnoseFile('core.dump', Buffer.from([0, 1, 2, 3, 0, 0]));

  expect(diagnosis.unread).toMatchObject([{ reason: 'not text' }]);
});

test('diagnose keeps its memory flat over a long log', async () => {
  const file = join(await tempDir(), 'kubelet.log');
  const line =
    'Aug 20 10:11:12 master-0 kubenswrapper[2519]: I0820 kubelet.go:2076] "SyncLoop ADD" source="file"\n';
  const bad =
    'Aug 20 10:11:12 master-0 kubenswrapper[2519]: E0820 "Certificate request was not signed"\n';
  const block = Buffer.from(line.repeat(9999) + bad);
  async function* content() {
    for (let size = 0; size < 64 * 1024 * 1024; size += block.length) yield block;
  }
  await writeFile(file, content());
  const samples: { heap: number; buffers: number }[] = [];
  const sample = () => {
    collectGarbage();
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    samples.push({ heap: heapUsed / 1024 / 1024, buffers: arrayBuffers / 1024 / 1024 });
  };
  const ctx = silentContext({ now, emit: ({ type }) => type.startsWith('task.') && sample() });

  const diagnosis = await diagnose(ctx, [file]);

  expect(idsOf(diagnosis)).toEqual(['node-csr-not-signed']);
  expect(diagnosis.findings[0]?.count).toBeGreaterThan(60);
  expect(samples.length).toBeGreaterThan(2);
  const [, early, ...later] = samples;
  expect(Math.max(...later.map(({ heap }) => heap)) - (early?.heap ?? 0)).toBeLessThan(8);
  // Freed chunks are given back by a thread that a busy machine makes wait; kept ones would never be.
  const last = samples.slice(-Math.ceil(samples.length / 3));
  expect(Math.min(...last.map(({ buffers }) => buffers))).toBeLessThan(32);
});

/** What is left after this is in use, so that garbage not yet collected does not blur the picture. */
function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
}

test('diagnose counts a line once that a journal with and one without the year hold, years later', async () => {
  const root = await tempDir();
  const line = 'crio[1]: write /var/lib/x: no space left on device';
  await writeFile(join(root, 'a.log'), `Aug 20 10:11:12 bootstrap ${line}\n`);
  await writeFile(join(root, 'b.log'), `2024-08-20T10:11:12+0000 bootstrap ${line}\n`);

  const { findings } = await diagnose(silentContext({ now }), [root]);

  expect(findings.map(({ id, count }) => [id, count])).toEqual([['boot-disk-full', 1]]);
});

const RETRIED =
  'time="2026-08-20T10:11:12Z" level=warning msg="Failed, retrying in 1s ... (1/2). Error: reading blob sha256:5b: fetching blob: received unexpected HTTP status: 502 Bad Gateway"';

test('diagnose forgets what was only retried when all came through, and nothing else', async () => {
  const good = '2026/08/20 10:20:00  [INFO]   :  ✓  194 / 194 release images mirrored successfully';
  const failed =
    '2026/08/20 10:19:00  [ERROR]  : reading blob: received unexpected HTTP status: 502 Bad Gateway';
  const said = async (...lines: string[]) =>
    idsOf(await diagnoseFile('oc-mirror.log', `${lines.join('\n')}\n`));

  expect(await said(RETRIED, good)).toEqual([]);
  expect(await said(RETRIED)).toEqual(['mirror-gateway']);
  expect(await said(RETRIED, failed, good)).toEqual(['mirror-gateway']);
});

test('diagnose takes no warning of a run for a cause that went well as a whole', async () => {
  const warned =
    '2026/08/20 10:11:12  [WARN]   : unable to find graph image in local cache: SKIPPING. initializing source docker://localhost:55000/openshift/graph-image:latest: manifest unknown';
  const well = '2026/08/20 10:20:00  [INFO]   :  ✓  194 / 194 release images mirrored successfully';
  const ill =
    '2026/08/20 10:20:00  [INFO]   :  ✗  20 / 22 operator images mirrored: Some operator images failed to be mirrored';
  const said = async (...lines: string[]) =>
    idsOf(await diagnoseFile('oc-mirror.log', `${lines.join('\n')}\n`));

  expect(await said(warned, well)).toEqual([]);
  expect(await said(warned)).not.toEqual([]);
  expect(await said(warned, well, ill)).not.toEqual([]);
  expect(await said(warned, ill, well)).not.toEqual([]);
  expect(await said(well, warned)).not.toEqual([]);
  expect(await said(warned.replace('[WARN] ', '[ERROR]'), well)).not.toEqual([]);
});

test('diagnose leaves it to the summary of a play whether a task failed', async () => {
  const task =
    'fatal: [reg.lab]: FAILED! => {"msg": "Request failed: <urlopen error [Errno 111] Connection refused>", "url": "https://mirror.lab:8443/health/instance"}';
  const recap = (host: string, failed: number) =>
    `${host} : ok=50 changed=30 unreachable=0    failed=${failed} skipped=17 rescued=0 ignored=1`;
  const journal = `Aug 20 10:11:12 node1 crio[9]: time="2026-08-20T10:11:12Z" level=info msg="pinging container registry mirror.lab:8443: connection refused"`;
  const said = async (...lines: string[]) =>
    idsOf(await diagnoseFile('play.log', `${lines.join('\n')}\n`));

  expect(await said(task, recap('reg.lab', 0))).toEqual([]);
  expect(await said(task, recap('reg.lab', 1))).not.toEqual([]);
  expect(await said(task, recap('other.lab', 1), recap('reg.lab', 0))).not.toEqual([]);
  expect(await said(journal, recap('reg.lab', 0))).not.toEqual([]);
});

test('diagnose forgets what the installer met before it said that the bootstrap is over', async () => {
  const line = (text: string) => `time="2026-08-20T10:11:12Z" level=debug msg="${text}"\n`;
  const missing = line("InvalidSubnetID.NotFound: The subnet ID 'subnet-0a' does not exist");
  const safe = line('It is now safe to remove the bootstrap resources');
  const said = async (...lines: string[]) =>
    idsOf(await diagnoseFile('.openshift_install.log', lines.join('')));

  expect(await said(missing, safe)).toEqual([]);
  expect(await said(safe, missing)).toEqual(['aws-subnet-missing']);
});
