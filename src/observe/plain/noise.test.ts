import { expect, test } from 'vitest';
import { once } from '../../core/bytes.ts';
import { silentContext } from '../../core/context.ts';
import { diagnose } from '../diagnose.ts';

const NOW = new Date('2026-11-18T12:00:00Z');

/** What is claimed of a text, by a rule or as likely. */
async function claimsOf(...lines: readonly string[]): Promise<string[]> {
  const open = () => once(Buffer.from(`${lines.join('\n')}\n`));
  const input = { name: 'paste.txt', modified: NOW, open };
  const { findings, likely } = await diagnose(silentContext({ now: () => NOW }), [input]);
  return [...findings.map(({ id }) => id), ...(likely ? [likely.id] : [])];
}

const FAILED = 'depotctl: error: the crate "7" has no lid';

/** What healthy machines say, in the words of many programs. */
const NOISE: readonly (readonly [of: string, line: string])[] = [
  [
    'a controller that comes too late',
    'E1118 00:11:22.123456       1 depot.go:53] sync "fern/lid" failed with Operation cannot be fulfilled on lids.fern.lan "lid": the object has been modified; please apply your changes to the latest version and try again',
  ],
  [
    'podman without root',
    'WARN[0000] Failed to add conmon to cgroupfs sandbox cgroup: error creating cgroup for pids: mkdir /sys/fs/cgroup/pids/libpod_parent: permission denied',
  ],
  [
    'a registry before the login',
    'time="2026-11-18T00:11:22Z" level=error msg="error authorizing context: authorization token required" http.request.method=GET http.request.uri="/v2/"',
  ],
  [
    'the firmware of a server',
    String.raw`[    0.311223] ACPI Error: Aborting method \_SB.LID0._STA due to previous error (AE_NOT_FOUND) (20210730/psparse-529)`,
  ],
  [
    'a kubelet that starts',
    'E1118 00:11:22.123456    2044 kubelet.go:1466] "Image garbage collection failed once. Stats initialization may not have completed yet" err="invalid capacity 0 on image filesystem"',
  ],
  [
    'what is passed over',
    "systemd-sysctl[611]: Couldn't write '1' to 'net/fern/lids', ignoring: No such file or directory",
  ],
  [
    'what is passed over from the start',
    "depotd[811]: Ignoring duplicate lid 'a' in file '/srv/lids': it cannot be sealed twice",
  ],
  [
    'what says so itself',
    'W1118 00:11:22.123456       1 depot.go:40] Error getting lids: lids.fern.lan "a" not found. It can be safely ignored.',
  ],
];

test.each(NOISE)('diagnose claims nothing of %s', async (_of, line) => {
  expect(await claimsOf(line)).toEqual([]);
  expect(await claimsOf(line, line, line)).toEqual([]);
});

test.each(NOISE)('what fails is seen beside %s', async (_of, line) => {
  expect(await claimsOf(FAILED, line)).toEqual(['says-itself']);
  expect(await claimsOf(line, FAILED)).toEqual(['says-itself']);
});

test.each(NOISE)('an error that says nothing is not explained by %s', async (_of, line) => {
  expect(await claimsOf(line, 'depotctl: error: exit status 1')).toEqual([]);
});

test('who was told to write an object and comes too late has failed', async () => {
  const late =
    'Operation cannot be fulfilled on lids.fern.lan "lid": the object has been modified; please apply your changes to the latest version and try again';

  expect(await claimsOf(`Error from server (Conflict): ${late}`)).toEqual(['says-object-changed']);
  expect(await claimsOf(`Error: UPGRADE FAILED: ${late}`)).toEqual(['says-object-changed']);
});

test('files that the start of an installer asks for besides are told from those it needs', async () => {
  const notFound =
    'dracut-initqueue[1534]: curl: (22) The requested URL returned error: 404 Not Found';
  const failed = (file: string) =>
    `dracut-initqueue[1534]: Warning: Downloading 'http://10.9.0.2/fern/images/${file}' failed!`;

  expect(await claimsOf(notFound, failed('updates.img'), notFound)).toEqual([]);
  expect(await claimsOf(notFound, failed('install.img'))).toEqual(['says-boot-file-missing']);
});

test('what the kernel notes of devices is no failure, and what stops a machine is', async () => {
  expect(
    await claimsOf('kernel: lidd 0000:3b:00.0: missing or invalid FERN field of "lid 3".'),
  ).toEqual([]);
  expect(
    await claimsOf('kernel: lidd 0000:3b:00.0: the link of "lid 3" is down, no carrier'),
  ).not.toEqual([]);
});

test('a command that warns and prints what it was asked for has done it', async () => {
  const warned = 'WARN[0000] the lid of /srv/depot cannot be sealed: permission denied';

  expect(await claimsOf('$ depotctl date', warned, 'Mon Nov 16 21:39:58 UTC 2026')).toEqual([]);
  expect(await claimsOf('$ depotctl date', warned)).toEqual(['says-access-denied']);
});
