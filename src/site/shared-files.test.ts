import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fillMirror, openTestSite, stepRun } from '../../test/support/site.ts';
import { silentContext } from '../core/context.ts';
import { makeFolder } from '../core/files.ts';
import { MADE_FILE } from '../platform/platform.ts';
import { leaveSharedFiles, sharedDir } from './shared-files.ts';
import { siteWorkflow } from './site-workflow.ts';

const ctx = silentContext();

test('stages leave what steps of a step registry read, for their owner alone', async () => {
  const { work } = await openTestSite({
    proxy: { url: 'http://in.example:3128', publicUrl: 'http://out.example:3128' },
  });
  const { state } = work.paths;
  await makeFolder(state);
  const made = { VpcId: 'vpc-1', PrivateSubnetIds: 'subnet-1,subnet-2' };
  await writeFile(join(state, MADE_FILE), JSON.stringify(made));

  for (const stage of ['infrastructure', 'bastion', 'registry', 'config', 'cluster'] as const)
    await leaveSharedFiles(ctx, work, stage, { host: 'this machine' });

  const left = (name: string) => readFile(join(sharedDir(work.paths), name), 'utf8');
  expect(await left('vpc_id')).toBe('vpc-1\n');
  expect(await left('private_subnet_ids')).toBe("['subnet-1','subnet-2']\n");
  expect(await left('bastion_public_address')).toBe('localhost\n');
  expect(await left('mirror_registry_url')).toBe('localhost:5000\n');
  expect(await left('proxy_private_url')).toBe('http://in.example:3128\n');
  expect(await left('proxy_public_url')).toBe('http://out.example:3128\n');
  await expect(left('kubeconfig')).rejects.toThrow('ENOENT');
  expect((await stat(join(sharedDir(work.paths), 'vpc_id'))).mode & 0o777).toBe(0o600);
});

test('a stage that runs leaves its files by itself', async () => {
  const { work } = await openTestSite({ registry: { type: 'existing' } });
  await fillMirror(work.paths);
  const { steps } = await siteWorkflow(ctx, work);

  await steps.find(({ id }) => id === 'config')?.run(ctx, stepRun());

  const config = await readFile(join(sharedDir(work.paths), 'install-config.yaml'), 'utf8');
  expect(config).toContain('baseDomain: example.com');
});
