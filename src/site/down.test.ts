import { expect, test } from 'vitest';
import { openTestSite, type SiteChange } from '../../test/support/site.ts';
import { recordingContext, silentContext } from '../core/context.ts';
import { writeFileAtomic } from '../core/files.ts';
import { localHost } from '../host/local-host.ts';
import { installedKubeconfig } from '../platform/shared/installer.ts';
import { takeDown } from './down.ts';
import type { OpenSite } from './open-site.ts';

const ctx = silentContext();

async function finishedSite(temporary: boolean, change: SiteChange = {}): Promise<OpenSite> {
  const open = await openTestSite(change);
  for (const step of [
    'infrastructure',
    'bastion',
    'registry',
    'own-check',
    'images',
    'config',
    'cluster',
  ])
    await open.journal.append({ kind: 'finished', step, fields: {}, output: {} });
  await open.inventory.claim({
    kind: 'directory',
    id: open.work.paths.registry,
    temporary,
  });
  return open;
}

const statesOf = ({ journal }: OpenSite) =>
  Object.fromEntries([...journal.steps()].map(([step, { state }]) => [step, state]));

test('takeDown forgets the steps of the site, too, not only the stages', async () => {
  const open = await finishedSite(false);

  await takeDown(ctx, open, { temporary: false });

  expect(new Set(Object.values(statesOf(open)))).toEqual(new Set(['undone']));
});

test('takeDown that stops half-way leaves no stage that counts as done', async () => {
  const open = await finishedSite(false);
  const stop = new AbortController();
  stop.abort(new Error('killed'));

  await expect(
    takeDown(silentContext({ signal: stop.signal }), open, { temporary: false }),
  ).rejects.toThrow('killed');

  expect(statesOf(open)).toMatchObject({ images: 'undone', registry: 'undone' });
});

test('takeDown of what was temporary lets the mirror be filled again, and the cluster alone', async () => {
  const open = await finishedSite(true);

  await takeDown(ctx, open, { temporary: true });

  expect(statesOf(open)).toEqual({
    infrastructure: 'finished',
    bastion: 'finished',
    registry: 'undone',
    'own-check': 'finished',
    images: 'undone',
    config: 'undone',
    cluster: 'finished',
  });
});

test('takeDown of what was temporary changes nothing where nothing was', async () => {
  const open = await finishedSite(false);

  expect(await takeDown(ctx, open, { temporary: true })).toEqual([]);

  expect(new Set(Object.values(statesOf(open)))).toEqual(new Set(['finished']));
});

test('takeDown of a bastion that was temporary lets it be made again', async () => {
  const { work, ...open } = await finishedSite(true);
  const id = `${work.paths.state}/there`;
  await open.inventory.claim({ kind: 'bastion-folder', id, temporary: true });
  const platform = { ...work.platform, bastion: async () => localHost() };

  await takeDown(ctx, { ...open, work: { ...work, platform } }, { temporary: true });

  expect(statesOf({ ...open, work })).toMatchObject({
    infrastructure: 'finished',
    bastion: 'undone',
    cluster: 'finished',
  });
});

test('takeDown of a proxy says what the cluster that was installed with it needs', async () => {
  const told = recordingContext();
  const open = await finishedSite(true, { mode: 'private', proxy: { enabled: true } });
  const warnings = () => told.events.filter(({ type }) => type === 'warning.raised');

  await takeDown(told, open, { temporary: true });
  expect(warnings()).toEqual([]);
  const kubeconfig = installedKubeconfig(open.work.paths);
  await writeFileAtomic(kubeconfig, '');
  await takeDown(told, open, { temporary: true });

  expect(warnings()).toMatchObject([
    { hint: expect.stringContaining(`${kubeconfig} patch proxy`) },
  ]);
});
