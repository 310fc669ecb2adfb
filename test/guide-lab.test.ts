import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { commandsOf, guideHome, typeInShell } from './support/guide.ts';

// Whole labs run here, as the guide has them typed.
vi.setConfig({ testTimeout: 900_000 });

test('the commands of docs/guide/lab.md work as they stand', async () => {
  const home = guideHome();
  const folder = mkdtempSync(join(tmpdir(), 'atoll-guide-lab-'));
  onTestFinished(() => {
    for (const each of [home, folder]) rmSync(each, { recursive: true, force: true });
  });
  const commands = commandsOf('docs/guide/lab.md');
  const failed: string[] = [];
  for (const { line } of commands) {
    // The bootstrap that is looked at is the one that was broken.
    const status = /--break|timeline/.test(line) ? 6 : 0;
    const problem = await typeInShell(folder, line, { home, status });
    if (problem !== undefined) failed.push(problem);
  }

  expect(failed).toEqual([]);
  expect(commands.length).toBeGreaterThan(7);
});
