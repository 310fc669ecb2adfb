import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { type RuleFields, rulesOf } from '../../test/support/rules.ts';
import { tempDir } from '../../test/support/temp.ts';
import { silentContext } from '../core/context.ts';
import { diagnose } from './diagnose.ts';

const now = () => new Date('2026-08-21T00:00:00Z');

/** What these rules make of these files. */
async function diagnosed(files: Readonly<Record<string, string>>, ...rules: readonly RuleFields[]) {
  const root = await tempDir();
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(root, name)), { recursive: true });
    await writeFile(join(root, name), content);
  }
  return diagnose(silentContext({ now }), [root], { rules: rulesOf(...rules) });
}

const line = (minute: number, text: string, unit = 'bootkube') =>
  `Aug 20 10:${String(minute).padStart(2, '0')}:00 bootstrap ${unit}[1]: ${text}\n`;
const ROOT = { id: 'a', pattern: 'the gizmo broke' };

test('diagnose tells what the rules found, how far the bootstrap came and what was read', async () => {
  const diagnosis = await diagnosed(
    { 'a.log': line(1, 'Rendering CEO Manifests...') + line(2, 'the gizmo broke') },
    ROOT,
  );

  expect(diagnosis).toEqual({
    findings: [expect.objectContaining({ id: 'a', count: 1 })],
    suspicious: [],
    alsoSaid: [],
    bootstrap: {
      verdict: 'running',
      at: '2026-08-20T10:02:00.000Z',
      step: expect.objectContaining({ id: 'etcd-bootstrap' }),
    },
    benign: [],
    unread: [],
    totals: { files: 1, bytes: expect.any(Number) },
  });
});

test('diagnose says nothing of a bootstrap of which there is no sign', async () => {
  expect(await diagnosed({ 'a.log': 'words\n' }, ROOT)).not.toHaveProperty('bootstrap');
});

test('diagnose has no step at hand where the bootstrap is complete', async () => {
  const { bootstrap } = await diagnosed(
    {
      '.openshift_install.log': 'level=info msg=It is now safe to remove the bootstrap resources\n',
    },
    ROOT,
  );

  expect(bootstrap).toEqual({ verdict: 'complete', at: expect.any(String) });
});

test('diagnose forgets what a later line says is over, also when systemd says so', async () => {
  const rule = { ...ROOT, over: 'gizmo is mended', where: ['journal:bootstrap/gizmo'] };
  const broke = line(1, 'the gizmo broke', 'gizmo');
  const foundWith = async (end: string) =>
    (await diagnosed({ 'bootstrap/journals/journal.log': broke + end }, rule)).findings.length;

  expect(await foundWith('')).toBe(1);
  expect(await foundWith(line(2, 'the gizmo is mended', 'gizmo'))).toBe(0);
  expect(await foundWith(line(2, 'the gizmo is mended', 'systemd'))).toBe(0);
  expect(await foundWith(line(2, 'the gizmo is mended', 'crio'))).toBe(1);
});

test('diagnose counts what other lines say for and against a rule, wherever they are', async () => {
  const files = (text: string) => ({ 'a.log': line(1, 'the gizmo broke'), 'b.log': `${text}\n` });
  const foundWith = async (text: string, more: object) =>
    (await diagnosed(files(text), { ...ROOT, where: ['journal:bootstrap/*'], ...more })).findings
      .length;

  expect(await foundWith('nothing', { needs: ['the widget is red'] })).toBe(0);
  expect(await foundWith('the widget is red', { needs: ['the widget is red'] })).toBe(1);
  expect(await foundWith('nothing', { unless: ['the widget is red'] })).toBe(1);
  expect(await foundWith('the widget is red', { unless: ['the widget is red'] })).toBe(0);
});

test('diagnose looks at objects as the evidence ends, also when a log is newer', async () => {
  const rule = {
    id: 'old',
    where: ['object:Node'],
    object: { kind: 'Node', all: [{ path: 'status.since', olderMinutes: 30 }] },
  };
  const nodes =
    '{"items":[{"kind":"Node","metadata":{"name":"n"},"status":{"since":"2026-08-20T10:00:00Z"}}]}';
  const foundWith = async (minute: number) =>
    (await diagnosed({ 'resources/nodes.json': nodes, 'a.log': line(minute, 'words') }, rule))
      .findings.length;

  expect(await foundWith(20)).toBe(0);
  expect(await foundWith(40)).toBe(1);
});

test('diagnose follows the bootstrap by records and objects, too', async () => {
  const record = JSON.stringify([
    { timestamp: '2026-08-20T10:00:00Z', phase: 'stage start', stage: 'etcd-bootstrap' },
  ]);
  const etcd =
    '{"items":[{"kind":"Etcd","status":{"conditions":[{"type":"EtcdBootstrapMemberRemoved","status":"True","lastTransitionTime":"2026-08-20T10:30:00Z"}]}}]}';

  expect((await diagnosed({ 'services/bootkube.json': record }, ROOT)).bootstrap).toMatchObject({
    step: { id: 'etcd-bootstrap' },
  });
  expect((await diagnosed({ 'resources/etcds.json': etcd }, ROOT)).bootstrap?.at).toBe(
    '2026-08-20T10:30:00.000Z',
  );
});

test('diagnose looks a second time where no cause was found, and tells what is harmless from an error', async () => {
  const text = line(1, 'fatal error of the widget') + line(2, 'permission denied to the frob');
  const none = await diagnosed({ 'a.log': text }, ROOT);
  const benign = await diagnosed({ 'a.log': text }, ROOT, {
    id: 'harmless',
    kind: 'benign',
    pattern: 'fatal error of the widget',
    where: ['journal:bootstrap/*'],
  });

  expect(none.suspicious.map(({ text: one }) => one)).toEqual([
    'fatal error of the widget',
    'permission denied to the frob',
  ]);
  expect(none.noCause).toMatchObject({
    forms: [{ form: 'journal', files: 1 }],
    from: '2026-08-20T10:01:00.000Z',
    to: '2026-08-20T10:02:00.000Z',
    firstError: { line: 1 },
  });
  expect(benign.noCause?.firstError).toMatchObject({ line: 2 });
  expect(benign.benign).toEqual([{ id: 'harmless', count: 1, cause: expect.any(String) }]);
});

test('diagnose asks for more beside a symptom, but shows no other lines', async () => {
  const diagnosis = await diagnosed(
    { 'a.log': line(1, 'the gizmo broke') + line(2, 'permission denied') },
    { ...ROOT, kind: 'symptom' },
  );

  expect(diagnosis.findings).toMatchObject([{ kind: 'symptom' }]);
  expect(diagnosis.suspicious).toEqual([]);
  expect(diagnosis.noCause?.gather.length).toBeGreaterThan(0);
});

test('diagnose tells what of a bundle is not there', async () => {
  const { unread } = await diagnosed(
    { 'bootstrap/journals/crio.log': line(1, 'words', 'crio') },
    ROOT,
  );

  expect(unread.map(({ path }) => path)).toContain('log bundle');
});

test('a full disk is that of the bootstrap machine only where the line tells so', async () => {
  const root = await tempDir();
  const full = 'depotd[7]: error: cannot open /srv/a: no space left on device\n';
  const namedOn = async (host: string) => {
    const path = join(root, `${host}.txt`);
    await writeFile(path, `Aug 20 10:11:12 ${host} ${full}`);
    return (await diagnose(silentContext({ now }), [path])).findings.map(({ id }) => id);
  };

  expect(await namedOn('bootstrap')).toEqual(['boot-disk-full']);
  expect(await namedOn('w-1')).toEqual(['host-disk-full']);
});
