import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { tempDir } from '../../../test/support/temp.ts';
import { silentContext } from '../../core/context.ts';
import { createRegistries } from '../../remote/create-registries.ts';
import { retryFailed } from './retry.ts';
import { WorkingDir } from './working-dir.ts';

test('retryFailed does not forget what it cannot try alone', async () => {
  const workingDir = new WorkingDir(await tempDir());
  const registries = createRegistries({ env: {} });
  onTestFinished(() => registries.close());
  const error = { code: 'REGISTRY_DENIED', message: 'Cannot write', hint: 'Log in' };
  const catalog = { kind: 'catalog', source: 'r.example/index:v1', reason: 'a catalog' };
  const notCollected = [{ subject: 'package a', code: 'INPUT_INVALID', message: 'Cannot choose' }];
  const report = {
    flow: 'sync',
    images: [{ ...catalog, target: 'm.example/index:v1', outcome: 'failed', error }],
    notCollected,
  };
  const path = workingDir.file('report.json');
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, JSON.stringify(report));

  const { mirror } = await retryFailed(silentContext(), { workingDir, registries });

  const left = [...notCollected, { subject: 'r.example/index:v1', ...error }];
  expect(mirror?.report).toMatchObject({ failed: 2, notCollected: left });
  expect(JSON.parse(await readFile(path, 'utf8'))).toMatchObject({ failed: 2, notCollected: left });
  expect(await readFile(mirror?.errorsFile ?? '', 'utf8')).toBe(
    'package a: [INPUT_INVALID] Cannot choose\nr.example/index:v1: [REGISTRY_DENIED] Cannot write\n',
  );
});
