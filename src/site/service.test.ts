import { mkdtempSync, rmSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { freePort } from '../../test/support/docker-registry.ts';
import { openTestSite } from '../../test/support/site.ts';
import { silentContext } from '../core/context.ts';
import { initRegistry } from '../registry/init.ts';
import { openInventory } from './inventory.ts';
import { removeResources } from './remove-resources.ts';
import { isServiceRunning, type SiteService, startService, stopService } from './service.ts';

const ctx = silentContext();
let folder = '';
let service: SiteService;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'atoll-service-'));
  const directory = join(folder, 'registry');
  const port = await freePort();
  await initRegistry(ctx, {
    directory,
    hosts: ['localhost'],
    listen: '127.0.0.1',
    port,
    user: 'u',
  });
  service = {
    pidFile: join(folder, 'registry.pid'),
    logFile: join(folder, 'logs', 'registry.log'),
    args: ['registry', 'serve', '--dir', directory, '--workers', '1'],
  };
});
afterEach(async () => {
  await stopService(ctx, service.pidFile);
  rmSync(folder, { recursive: true, force: true });
});

describe('startService', () => {
  test('starts once however often it is asked, also at the same time', async () => {
    const first = await Promise.all([startService(ctx, service), startService(ctx, service)]);
    const { pid } = JSON.parse(await readFile(service.pidFile, 'utf8'));

    expect(first.toSorted()).toEqual([false, true]);
    expect(await startService(ctx, service)).toBe(false);
    expect(JSON.parse(await readFile(service.pidFile, 'utf8')).pid).toBe(pid);
    expect(await isServiceRunning(service.pidFile)).toBe(true);
  });

  test('starts anew after a kill -9', async () => {
    await startService(ctx, service);
    const { pid } = JSON.parse(await readFile(service.pidFile, 'utf8'));
    process.kill(pid, 'SIGKILL');
    await expect.poll(() => isServiceRunning(service.pidFile)).toBe(false);

    expect(await startService(ctx, service)).toBe(true);
  });

  test('says where to look when the service does not come up', async () => {
    const args = ['registry', 'serve', '--dir', join(folder, 'nowhere')];

    await expect(startService(ctx, { ...service, args })).rejects.toMatchObject({
      code: 'PROGRAM_FAILED',
      hint: `Look at ${service.logFile}`,
    });
    expect(await readFile(service.logFile, 'utf8')).toContain('nowhere');
  });
});

test('stopService stops what runs, and does not mind what does not', async () => {
  await startService(ctx, service);

  expect(await stopService(ctx, service.pidFile)).toBe(true);
  expect(await isServiceRunning(service.pidFile)).toBe(false);
  expect(await stopService(ctx, service.pidFile)).toBe(false);
});

test('removeResources stops services and removes folders, newest first, and only what is asked', async () => {
  const inventory = await openInventory(ctx, join(folder, 'inventory.ndjson'));
  const directory = join(folder, 'registry');
  await inventory.claim({ kind: 'directory', id: directory, temporary: true });
  await inventory.claim({ kind: 'directory', id: join(folder, 'logs'), temporary: false });
  await inventory.claim({ kind: 'service', id: service.pidFile, temporary: true });
  await startService(ctx, service);
  const { work } = await openTestSite();
  const owner = { site: work.site, platform: work.platform, inventory };

  const removed = await removeResources(ctx, owner, ({ temporary }) => temporary);

  expect(removed.map(({ id }) => id)).toEqual([service.pidFile, directory]);
  expect(await isServiceRunning(service.pidFile)).toBe(false);
  await expect(stat(directory)).rejects.toThrow('ENOENT');
  expect(inventory.resources().map(({ id }) => id)).toEqual([join(folder, 'logs')]);
  expect(await removeResources(ctx, owner, ({ temporary }) => temporary)).toEqual([]);
  await inventory.close();
});
