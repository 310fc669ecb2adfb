import { readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { fillMirror, openTestSite, stepRun } from '../../test/support/site.ts';
import { silentContext } from '../core/context.ts';
import { makeFolder } from '../core/files.ts';
import { MADE_FILE } from '../platform/platform.ts';
import { readProxyLogin } from './proxy-place.ts';
import { leaveSharedFiles, sharedDir } from './shared-files.ts';
import { siteWorkflow } from './site-workflow.ts';

const ctx = silentContext();
const AWS = { type: 'aws', region: 'us-east-1' };

test('stages leave what steps of a step registry read, for their owner alone', async () => {
  const { work } = await openTestSite({
    proxy: { url: 'http://in.example:3128', publicUrl: 'http://out.example:3128' },
  });

  for (const stage of ['infrastructure', 'bastion', 'registry', 'config', 'cluster'] as const)
    await leaveSharedFiles(ctx, work, stage, { host: 'this machine' });

  const left = (name: string) => readFile(join(sharedDir(work.paths), name), 'utf8');
  expect(await left('bastion_public_address')).toBe('localhost\n');
  expect(await left('mirror_registry_url')).toBe('localhost:5000\n');
  expect(await left('proxy_private_url')).toBe('http://in.example:3128\n');
  expect(await left('proxy_public_url')).toBe('http://out.example:3128\n');
  await expect(left('kubeconfig')).rejects.toThrow('ENOENT');
  await expect(left('vpc_id')).rejects.toThrow('ENOENT');
  const { mode } = await stat(join(sharedDir(work.paths), 'mirror_registry_url'));
  expect(mode & 0o777).toBe(0o600);
});

test('a platform leaves what it made under the names that steps read', async () => {
  const { work } = await openTestSite({ platform: AWS });
  const { state } = work.paths;
  await makeFolder(state);
  const made = { VpcId: 'vpc-1', PrivateSubnetIds: 'subnet-1,subnet-2' };
  await writeFile(join(state, MADE_FILE), JSON.stringify(made));

  await leaveSharedFiles(ctx, work, 'infrastructure', {});

  const left = (name: string) => readFile(join(sharedDir(work.paths), name), 'utf8');
  expect(await left('vpc_id')).toBe('vpc-1\n');
  expect(await left('private_subnet_ids')).toBe("['subnet-1','subnet-2']\n");
  await expect(left('public_subnet_ids')).rejects.toThrow('ENOENT');
});

test('a stage that runs leaves its files by itself', async () => {
  const { work } = await openTestSite({ registry: { type: 'existing' } });
  await fillMirror(work.paths);
  const { steps } = await siteWorkflow(ctx, work);

  await steps.find(({ id }) => id === 'config')?.run(ctx, stepRun());

  const config = await readFile(join(sharedDir(work.paths), 'install-config.yaml'), 'utf8');
  expect(config).toContain('baseDomain: example.com');
});

test.each([
  ['half of it', '{"VpcId": "vpc-'],
  ['another kind of value', '["vpc-1"]'],
])('a stage says which of its files holds %s, and what makes it anew', async (_, text) => {
  const { work } = await openTestSite({ platform: AWS });
  await makeFolder(work.paths.state);
  await writeFile(join(work.paths.state, MADE_FILE), text);

  await expect(leaveSharedFiles(ctx, work, 'infrastructure', {})).rejects.toMatchObject({
    code: 'INPUT_INVALID',
    message: expect.stringContaining(MADE_FILE),
    hint: expect.stringContaining('atoll up --only infrastructure'),
  });
});

test('a login of the proxy that was cut off is told by its file, and is not shown', async () => {
  const { work } = await openTestSite({ proxy: { enabled: true } });
  await makeFolder(dirname(work.paths.proxySecret));
  await writeFile(work.paths.proxySecret, '{"user":"u","password":"hunter2hunter2');

  const failure = await readProxyLogin(work.paths).catch((error: unknown) => error);

  expect(failure).toMatchObject({
    code: 'INPUT_INVALID',
    message: expect.stringContaining(work.paths.proxySecret),
    hint: expect.stringContaining('atoll up --only credentials'),
  });
  expect(String(failure)).not.toContain('hunter2');
});
