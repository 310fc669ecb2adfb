import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fakeProcess } from '../../../../test/support/fake-process.ts';
import { tempDir } from '../../../../test/support/temp.ts';
import { runCommandLine } from '../../run.ts';
import { STEP_COMMANDS } from './index.ts';

const REF = 'ref: { as: own-check, from: cli, commands: own-check-commands.sh }\n';

async function runStep(script: string) {
  const dir = await tempDir();
  await writeFile(join(dir, 'own-check-ref.yaml'), REF);
  await writeFile(join(dir, 'own-check-commands.sh'), script);
  const words = ['step', 'run', 'own-check', '--registry', dir, '--dir', join(dir, 'run')];
  const process = fakeProcess();
  const set = { commands: STEP_COMMANDS, groups: { step: 'Steps' } };
  const status = await runCommandLine(words, set, process);
  const logs = `logs are in ${join(dir, 'run', 'own-check', 'logs')}\n`;
  return { status, stdout: process.stdout.text, stderr: process.stderr.text, logs };
}

test('step run says where the output of its commands is', async () => {
  const { status, stdout, logs } = await runStep('echo hello');

  expect([status, stdout]).toEqual([0, `finished  own-check  not run before\n${logs}`]);
});

test('step run says so, too, when they fail', async () => {
  const { status, stderr, logs } = await runStep('exit 3');

  expect([status, stderr]).toEqual([3, expect.stringContaining(logs)]);
});
