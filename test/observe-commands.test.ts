import { readFile, readlink, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { COMMANDS, GROUPS } from '../src/cli/commands/index.ts';
import { runCommandLine } from '../src/cli/run.ts';
import { fakeProcess } from './support/fake-process.ts';
import { logBundle, logBundleArchive, type Scenario } from './support/log-bundle.ts';
import { tempDir } from './support/temp.ts';

async function atoll(...argv: string[]) {
  const process = fakeProcess();
  const status = await runCommandLine(argv, { commands: COMMANDS, groups: GROUPS }, process);
  return { status, stdout: process.stdout.text, stderr: process.stderr.text };
}

async function bundleFile(scenario: Scenario): Promise<string> {
  const path = join(await tempDir(), 'log-bundle-20260820105959.tar.gz');
  await writeFile(path, await logBundleArchive(logBundle(scenario)));
  return path;
}

test('atoll diagnose prints cause, evidence, remedy and what could not be looked at', async () => {
  const { status, stdout } = await atoll('diagnose', await bundleFile('node-image-pull'));

  expect(status).toBe(0);
  expect(stdout).toContain('1 cause found');
  expect(stdout).toMatch(/1\. boot-pull-x509 bootstrap 240 times/);
  expect(stdout).toMatch(/journal\.log\.gz:7 2026-08-20T10:00:32\.000Z/);
  expect(stdout).toContain('the mirror mirror.lab:5000/openshift/release');
  expect(stdout).toContain('$ openssl s_client -connect mirror.lab:5000');
  expect(stdout).toContain('What follows from it:\n  boot-mco-image-query');
  expect(stdout).toContain('Could not be looked at:');
});

test('atoll diagnose gives the same as plain JSON', async () => {
  const { stdout } = await atoll('diagnose', await bundleFile('api-never-up'), '--output', 'json');

  expect(JSON.parse(stdout)).toMatchObject({
    kind: 'diagnosis',
    findings: [{ id: 'boot-mirror-missing-image', category: 'bootstrap', kind: 'root' }],
    bootstrap: { verdict: 'stuck', step: { id: 'temporary-control-plane' } },
  });
});

test('atoll diagnose admits when it knows no cause', async () => {
  const path = join(await tempDir(), 'gizmo.log');
  await writeFile(path, 'all well\ngizmo: panic: lost its marbles\n');

  const { status, stdout } = await atoll('diagnose', path);

  expect(status).toBe(0);
  expect(stdout).toMatch(/^No known cause found/);
  expect(stdout).toContain('gizmo.log:2 gizmo: panic: lost its marbles');
});

test('atoll diagnose without a cause says what it read, the first real error and what to gather', async () => {
  const folder = await tempDir();
  await writeFile(
    join(folder, 'journal.txt'),
    [
      '2026-08-20T10:00:00+0000 bootstrap gizmo[1]: all is well',
      '2026-08-20T10:05:00+0000 bootstrap gizmo[1]: fatal error: lost its marbles',
      '2026-08-20T10:06:00+0000 bootstrap gizmo[1]: panic: out of marbles',
      '',
    ].join('\n'),
  );
  await writeFile(
    join(folder, 'a.txt'),
    '2026-08-20T10:05:30+0000 bootstrap gadget[1]: error: gadget is stuck\n',
  );

  const { stdout } = await atoll('diagnose', folder);

  expect(stdout).toContain(
    'What was read: journal (2), 2026-08-20T10:00:00.000Z to 2026-08-20T10:06:00.000Z',
  );
  expect(stdout).toMatch(/The first real error: .*journal\.txt:2 .* fatal error: lost its marbles/);
  expect(stdout).toContain('What to gather next:\n  The installer');
  expect(stdout).not.toContain('The journal of the bootstrap machine');
  expect(stdout).toContain('What CRI-O says');
});

test('atoll diagnose asks for more of the mirroring where it saw only that', async () => {
  const path = join(await tempDir(), 'oc-mirror.log');
  await writeFile(path, '2026/08/20 10:00:00  [INFO]   : all is well\n');

  const { stdout } = await atoll('diagnose', path);

  expect(stdout).toContain('No line of it is an error by its words');
  expect(stdout).toMatch(/What to gather next:\n {2}The log of the mirror registry.*$/m);
  expect(stdout).not.toContain('bootstrap machine');
});

test('atoll diagnose explains one failure and lists all', async () => {
  const explained = await atoll('diagnose', '--explain', 'boot-pull-x509');
  const listed = await atoll('diagnose', '--list', '--output', 'json');

  expect(explained.stdout).toContain('additionalTrustBundle');
  expect(JSON.parse(listed.stdout).rules[0]).toMatchObject({
    id: expect.any(String),
    pattern: expect.any(String),
  });
});

test('atoll diagnose suggests the failure that was meant', async () => {
  const { status, stderr } = await atoll('diagnose', '--explain', 'boot-pull-x590');

  expect(status).toBe(2);
  expect(stderr).toContain('Did you mean "boot-pull-x509"?');
});

test('atoll diagnose explains a line: what it was taken for, who looked at it, and why each spoke or not', async () => {
  const line =
    'Aug 20 10:11:12 bootstrap podman[7]: Error: initializing source docker://mirror.lab:5000/a: x509: certificate signed by unknown authority';

  const { status, stdout } = await atoll('diagnose', '--explain', line);

  expect(status).toBe(0);
  expect(stdout).toContain('taken for: journal:bootstrap/podman');
  expect(stdout).toMatch(/at: 20\d\d-08-20T10:11:12/);
  expect(stdout).toContain('read as: Error: initializing source');
  expect(stdout).toMatch(/mirror-ca-untrusted +spoke/);
  expect(stdout).toMatch(/ silent: it looks in cli:/);
});

test('atoll diagnose explains lines of standard input, and says when no rule looked at one', async () => {
  const process = fakeProcess();
  process.stdin.end('all is well\n');
  const argv = ['diagnose', '--explain', '-', '--output', 'json'];

  const status = await runCommandLine(argv, { commands: COMMANDS, groups: GROUPS }, process);

  expect(status).toBe(0);
  expect(JSON.parse(process.stdout.text)).toEqual({
    kind: 'lines',
    lines: [{ line: 1, decoded: 'all is well', origins: ['text:unknown'], rules: [] }],
    noCause: {
      forms: [{ form: 'plain text', files: 1 }],
      last: { file: 'given', text: 'all is well' },
      gather: expect.arrayContaining([expect.stringContaining('.openshift_install.log')]),
    },
  });
  const { stdout } = await atoll('diagnose', '--explain', 'all is well');
  expect(stdout).toContain('No rule looked at it: none has fixed text that it holds');
});

const UNTRUSTED =
  'Error: initializing source docker://mirror.lab:5000/a: x509: certificate signed by unknown authority\n';

async function piped(content: string | Buffer, ...argv: string[]) {
  const process = fakeProcess();
  process.stdin.end(content);
  const set = { commands: COMMANDS, groups: GROUPS };
  const status = await runCommandLine(['diagnose', ...argv], set, process);
  return { status, stdout: process.stdout.text, stderr: process.stderr.text };
}

test.each([
  ['text', UNTRUSTED],
  ['compressed text', gzipSync(UNTRUSTED)],
])('atoll diagnose reads %s from standard input and says so', async (_, content) => {
  const { status, stdout } = await piped(content, '-', '--output', 'json');

  expect(status).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({
    findings: [{ causeId: 'mirror-untrusted-ca', evidence: [{ file: 'standard input', line: 1 }] }],
  });
});

test('atoll diagnose reads a pipe without being asked, and what it is told that it is', async () => {
  const words = 'pinging container registry mirror.lab:5000: tls: failed to verify certificate: ';

  const { stdout } = await piped(
    `${words}x509: certificate signed by unknown authority\n`,
    ...['--as', 'journal:bootstrap/node-image-pull'],
  );

  expect(stdout).toMatch(/^1 cause found/);
  expect(stdout).toContain('standard input:1 ');
  expect(stdout).toContain('boot-pull-x509');
});

test('atoll diagnose refuses an origin that there is not', async () => {
  const { status, stderr } = await piped('x\n', '--as', 'bogus:x');

  expect(status).toBe(2);
  expect(stderr).toMatch(/"bogus:x" is no origin[\s\S]*cli:oc/);
});

test('atoll diagnose reads standard input beside files, once', async () => {
  const { stdout } = await piped(UNTRUSTED, '-', await bundleFile('api-never-up'), '-');

  expect(stdout).toContain('boot-mirror-missing-image');
  expect(stdout).toMatch(/sync-x509-unknown-authority.* once/);
});

test('atoll diagnose of nothing asks for something, and of an empty paste says that it was empty', async () => {
  const nothing = await piped('');
  const asked = await piped('', '-');

  expect(nothing.status).toBe(2);
  expect(nothing.stderr).toContain('pipe a log to "atoll diagnose -"');
  expect(asked.status).toBe(0);
  expect(asked.stdout).toMatch(/^No known cause found.*\n\nThere was no text to read\n/);
});

test('atoll diagnose of a log without an error says what it said last', async () => {
  const { stdout } = await piped(
    'level=info msg=Creating infrastructure resources...\nlevel=info msg=Waiting for the Kubernetes API...\n\n',
  );

  expect(stdout).toContain(
    'No line of it is an error by its words; what it said last: standard input level=info msg=Waiting for the Kubernetes API...',
  );
});

test('atoll diagnose of a crash asks for the trace and the version first', async () => {
  const { stdout } = await piped('INFO Consuming Install Config\npanic: runtime error: gizmo\n');

  expect(stdout).toMatch(/What to gather next:\n {2}All that the program that crashed printed/);
});

test('atoll diagnose does not take a pull that failed for a bootstrap', async () => {
  const { stdout } = await piped(UNTRUSTED);

  expect(stdout).not.toContain('Bootstrap:');
});

test('atoll diagnose that waits for standard input ends when it is told to', async () => {
  const process = fakeProcess();
  process.stdin.on('newListener', (event) => {
    if (event === 'readable') setImmediate(() => process.signals.emit('SIGTERM'));
  });
  const argv = ['diagnose', '--explain', '-'];
  const running = runCommandLine(argv, { commands: COMMANDS, groups: GROUPS }, process);

  expect(await running).toBe(130);
});

test('atoll bootstrap timeline shows where it is stuck, draws it, and exits with 6', async () => {
  const svg = join(await tempDir(), 'timeline.svg');

  const { status, stdout } = await atoll(
    'bootstrap',
    'timeline',
    await bundleFile('node-image-pull'),
    '--svg',
    svg,
  );

  expect(status).toBe(6);
  expect(stdout).toMatch(/^Bootstrap stuck: Node image pulled/);
  expect(stdout).toContain('stuck: should take at most 10m 00s');
  expect(stdout).toContain('tried 240 times');
  expect(await readFile(svg, 'utf8')).toMatch(/^<svg xmlns=/);
});

test('atoll bootstrap timeline draws through a link and leaves the link', async () => {
  const folder = await tempDir();
  await symlink('drawn.svg', join(folder, 'link'));

  await atoll(
    ...['bootstrap', 'timeline', await bundleFile('node-image-pull'), '--svg'],
    join(folder, 'link'),
  );

  expect(await readlink(join(folder, 'link'))).toBe('drawn.svg');
  expect(await readFile(join(folder, 'drawn.svg'), 'utf8')).toMatch(/^<svg xmlns=/);
});

test('atoll bootstrap timeline of something else says so instead of drawing one', async () => {
  const path = join(await tempDir(), 'notes.txt');
  await writeFile(path, 'hello\n');

  const { status, stdout } = await atoll('bootstrap', 'timeline', path);

  expect([status, stdout.split('\n')[0]]).toEqual([
    0,
    'Bootstrap unknown: nothing that was read tells of one',
  ]);
  expect(stdout).not.toContain('1970');
});

test('atoll bootstrap timeline of a healthy bootstrap exits with 0', async () => {
  const { status, stdout } = await atoll('bootstrap', 'timeline', await bundleFile('healthy'));

  expect(status).toBe(0);
  expect(stdout).toMatch(/^Bootstrap complete/);
});

test('atoll bootstrap inspect prints a pointer config and warns of an open download', async () => {
  const path = join(await tempDir(), 'worker.ign');
  const config = { merge: [{ source: 'http://bastion.lab/worker.ign' }] };
  await writeFile(path, JSON.stringify({ ignition: { version: '3.2.0', config } }));

  const { status, stdout } = await atoll('bootstrap', 'inspect', path);

  expect(status).toBe(0);
  expect(stdout).toMatch(/^pointer config, Ignition 3\.2\.0/);
  expect(stdout).toContain('without encryption and without a hash');
});

test('atoll bootstrap inspect says which generator writes and starts a unit', async () => {
  const path = join(await tempDir(), 'bootstrap.ign');
  const script = [
    '#!/bin/bash',
    'echo "[Unit]" > "$1/a.service"; echo "[Unit]" > "$1/b.service"',
    'ln -s ../b.service "$1/multi-user.target.wants/"',
  ].join('\n');
  const source = `data:,${encodeURIComponent(script)}`;
  const files = [{ path: '/etc/systemd/system-generators/gen', mode: 0o755, contents: { source } }];
  await writeFile(path, JSON.stringify({ ignition: { version: '3.2.0' }, storage: { files } }));

  const { stdout } = await atoll('bootstrap', 'inspect', path);

  expect(stdout).toContain('a.service (written by gen, started by nothing in this config)');
  expect(stdout).toContain('b.service (by gen, written by gen)');
});

test('atoll bootstrap inspect refuses what is no Ignition config', async () => {
  const path = join(await tempDir(), 'x.ign');
  await writeFile(path, '<html>');

  const { status, stderr } = await atoll('bootstrap', 'inspect', path);

  expect(status).toBe(3);
  expect(stderr).toContain('not JSON');
});
