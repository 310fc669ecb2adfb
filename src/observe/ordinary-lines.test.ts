import { mkdir, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { ORDINARY_FILES } from '../../test/support/ordinary-lines.ts';
import { tempDir } from '../../test/support/temp.ts';
import { silentContext } from '../core/context.ts';
import { diagnose } from './diagnose.ts';

const WRITTEN = new Date('2026-08-20T10:45:00Z');

async function idsOf(files: Readonly<Record<string, readonly string[]>>): Promise<string[]> {
  const root = await tempDir();
  for (const [name, lines] of Object.entries(files)) {
    const file = join(root, name);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, lines.map((line) => `${line}\n`).join(''));
    await utimes(file, WRITTEN, WRITTEN);
  }
  const { findings } = await diagnose(
    silentContext({ now: () => new Date('2026-08-21T00:00:00Z') }),
    [root],
  );
  return findings.map(({ id }) => id);
}

test('diagnose finds no fault in what every install that goes well says on its way', async () => {
  expect(await idsOf(ORDINARY_FILES)).toEqual([]);
});

test('diagnose takes the same words for what they are where they do not end', async () => {
  const cutOff = Object.entries(ORDINARY_FILES).map(([name, lines]) => {
    const waiting = lines.filter((line) =>
      /Retrying|retrying|Still|waiting on|GET error/.test(line),
    );
    return [name, waiting] as const;
  });

  expect((await idsOf(Object.fromEntries(cutOff))).toSorted()).toEqual([
    'boot-etcd-wait',
    'boot-installer-api-dns',
    'boot-installer-api-wait',
    'boot-mco-image-query',
    'boot-os-image-fetch',
    'boot-os-pullspec-query',
    'boot-release-pull-retry',
    'boot-wait-for-ceo',
    'dns-server-on-itself',
    'inst-operators-unavailable',
    'node-mcs-refused',
  ]);
});

const RETRY = 'Aug 20 10:03:15 b bootkube.sh[1]: etcdctl failed. Retrying in 5 seconds...';
const AGAIN = RETRY.replace('10:03:15', '10:30:15');
const HEALTHY = 'Aug 20 10:04:00 b bootkube.sh[1]: x is healthy: successfully committed proposal';

test('diagnose counts what comes again after it was over', async () => {
  expect(await idsOf({ 'bootstrap/journals/bootkube.log': [RETRY, HEALTHY, AGAIN] })).toEqual([
    'boot-etcd-wait',
  ]);
});

test('diagnose lets one machine end only what it began itself', async () => {
  const failing = 'Aug 20 10:05:01 m k[1]: "Unable to register node with API server" node="m"';
  const joined = 'Aug 20 10:05:11 n k[1]: "Successfully registered node" node="n"';

  expect(
    await idsOf({
      'control-plane/10.0.0.5/journals/kubelet.log': [failing],
      'control-plane/10.0.0.6/journals/kubelet.log': [failing, joined],
    }),
  ).toEqual(['node-register-failed']);
});

test('diagnose knows a copy of what is over, and what systemd ended in the whole journal', async () => {
  const whole = (line: string, unit: string) =>
    line.replace(/^Aug 20 (\S+) b \S+/, `Thu 2026-08-20 $1 UTC b ${unit}`);
  const pull = 'Aug 20 10:02:01 b release-image-download.sh[1]: Pull failed. Retrying x...';
  const done = 'Aug 20 10:02:09 b systemd[1]: Finished Download the OpenShift Release Image.';

  expect(
    await idsOf({
      'bootstrap/journals/bootkube.log': [RETRY, HEALTHY],
      'bootstrap/journals/journal.log': [
        whole(RETRY, 'bootkube.service[1]:'),
        whole(pull, 'release-image.service[1]:'),
        whole(done, 'init.scope[1]:'),
      ],
    }),
  ).toEqual([]);
});

test.each([
  '2026-03-02 10:00:00.123 1 ERROR ironic.drivers.modules.redfish.firmware [None req-0c9f - - - - - -] Firmware update on node 4f1c has exceeded the overall timeout of 1800 seconds.',
  'Post https://ibmcloud-trust.lab.svc:443/m: dial tcp 172.30.1.1:443: connect: connection timed out',
])('diagnose takes no other time-out for that of a management controller: %s', async (line) => {
  expect(await idsOf({ 'paste.txt': [line] })).not.toContain('bmc-unreachable');
});
