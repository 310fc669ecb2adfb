import { appendFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { addEvents, BARE_PAGE, dashboardSite, RUN } from '../../../test/support/dashboard.ts';
import { tempDir } from '../../../test/support/temp.ts';
import type { KubeObject } from '../../cluster/api/object.ts';
import { silentContext } from '../../core/context.ts';
import { writeFileAtomic } from '../../core/files.ts';
import { pageAsFile } from '../server/page.ts';
import { AccessFollower } from './access-follower.ts';
import { readBootstrap } from './bootstrap.ts';
import { ClusterWatch } from './cluster.ts';
import { readConfig, siteFiles } from './config.ts';
import { PastRuns, usualsOf } from './runs.ts';

const ctx = silentContext();

test('readConfig masks secrets, leaves out what is secret from end to end, and has the text of the run before', async () => {
  const site = await dashboardSite({
    '.atoll/install/install-config.yaml':
      'name: north\npullSecret: \'{"auths":{"a":{"auth":"c2VjcmV0"}}}\'\n',
    '.atoll/install/nodes/key.pem':
      '-----BEGIN EC PRIVATE KEY-----\nabc\n-----END EC PRIVATE KEY-----\n',
    '.atoll/install/auth/kubeconfig.yaml': 'token: hush\n',
    '.atoll/install/bootstrap.ign': '{"secret":"hush"}',
    '.atoll/install/nodes/registries.conf': 'new\n',
  });
  const path = '.atoll/install/nodes/registries.conf';
  const earlier = pageAsFile(BARE_PAGE, { config: [{ path, text: 'old\n' }] });
  const run = join(site.state, 'runs', '20250101T000000Z');
  await writeFileAtomic(join(run, 'report.html'), earlier);

  const files = await readConfig(await siteFiles(site), join(site.state, 'runs'), RUN);

  const texts = files.map(({ text }) => text).join('');
  expect(texts).not.toMatch(/c2VjcmV0|abc|hush/);
  expect(texts).toContain('pullSecret: [redacted]');
  expect(files.map((file) => file.path)).not.toContain('.atoll/install/bootstrap.ign');
  expect(files.filter(({ before }) => before !== undefined)).toEqual([
    { path, text: 'new\n', before: 'old\n' },
  ]);
});

test('usualsOf takes the median of runs in which a stage was done, and guesses where there are none', async () => {
  const site = await dashboardSite();
  for (const [second, durationMs] of [100, 300, 200].entries()) {
    await addEvents(
      site,
      [
        { type: 'step.started', step: 'images', title: 'Images' },
        { type: 'step.finished', step: 'images', durationMs },
      ],
      `20260101T00000${second}Z`,
    );
  }

  const runs = await new PastRuns(join(site.state, 'runs'), []).read();

  expect(runs.map(({ run }) => run.slice(-2))).toEqual(['2Z', '1Z', '0Z']);
  expect(usualsOf(runs).images).toEqual({ ms: 200, from: 'runs' });
  expect(usualsOf(runs).cluster).toMatchObject({ from: 'table' });
});

test('AccessFollower reads whole lines as they come, and a log that was rotated from its start', async () => {
  const path = join(await tempDir(), 'access.log');
  const line = (client: string) =>
    `${JSON.stringify({ at: 'x', listener: 's', client, method: 'GET', path: '/', status: 200, complete: true, bytesReceived: 0, bytesSent: 1, durationMs: 1 })}\n`;
  const follower = new AccessFollower(path);
  const read = async () => (await follower.read()).map(({ client }) => client);
  expect(await read()).toEqual([]);
  await writeFile(path, line('a') + line('b').slice(0, 20));
  expect(await read()).toEqual(['a']);
  await appendFile(path, line('b').slice(20));
  expect(await read()).toEqual(['b']);

  await rename(path, `${path}.1`);
  await writeFile(path, line('c'));

  expect(await read()).toEqual(['c']);
});

test('readBootstrap gives each step the lines that told of it', async () => {
  const folder = await tempDir();
  const journal =
    'Jan 01 00:00:01 bootstrap bootkube.sh[2]: Rendering Cluster Version Operator Manifests...\n';
  await writeFileAtomic(join(folder, 'bootstrap', 'journals', 'bootkube.log'), journal);

  const { bootstrap } = await readBootstrap(ctx, [folder, join(folder, 'not-there')]);

  const told = bootstrap?.steps.filter(({ lines }) => lines.length > 0) ?? [];
  expect(told.map(({ lines }) => lines[0]?.text).join()).toContain('Rendering Cluster Version');
  expect(await readBootstrap(ctx, [join(folder, 'no')])).toMatchObject({ bootstrap: undefined });
});

test('ClusterWatch shows parts of the cluster with what they were before', async () => {
  const watch = new ClusterWatch();
  const operator = (name: string, conditions: Readonly<Record<string, string>>): KubeObject => ({
    apiVersion: 'config.openshift.io/v1',
    kind: 'ClusterOperator',
    metadata: { name },
    status: {
      conditions: Object.entries(conditions).map(([type, status]) => ({
        type,
        status,
        message: `${name} says`,
      })),
    },
  });
  const fine = { Available: 'True', Progressing: 'False', Degraded: 'False' };
  await watch.read(ctx, undefined, [operator('etcd', { ...fine, Progressing: 'True' })]);

  const data = await watch.read(ctx, undefined, [
    operator('etcd', fine),
    operator('dns', { ...fine, Degraded: 'True' }),
  ]);

  expect(data?.parts).toMatchObject([
    { kind: 'operator', name: 'etcd', history: [{ state: 'progressing' }, { state: 'available' }] },
    { kind: 'operator', name: 'dns', message: 'dns says', history: [{ state: 'degraded' }] },
  ]);
  expect(data).toMatchObject({ from: 'logs' });
});
