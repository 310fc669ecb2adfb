import { cp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { makeFolder } from '../core/files.ts';
import { formatFailedUnits } from '../observe/formats/failed-units.ts';
import { journalsOf, recordsOf } from './node/node-journal.ts';

interface Machine {
  readonly name: string;
  readonly root: string;
  readonly failed: boolean;
}

/** Gathers the logs of the lab's machines in the layout of `openshift-install gather bootstrap`. */
export async function gatherLogBundle(folder: string, machines: readonly Machine[]): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  for (const machine of machines) {
    const isBootstrap = machine.name === 'bootstrap';
    const to = isBootstrap
      ? join(folder, 'bootstrap')
      : join(folder, 'control-plane', machine.name);
    await copyJournals(machine.root, join(to, 'journals'));
    if (isBootstrap) await copyIfThere(recordsOf(machine.root), join(to, 'services'));
    const failed = machine.failed
      ? [{ name: await lastUnit(machine.root), about: 'of an atoll lab' }]
      : [];
    const units = join(isBootstrap ? folder : to, 'failed-units.txt');
    await writeFile(units, formatFailedUnits(failed));
  }
}

/** The unit that had the last word: a machine of a lab ends with its first failure. */
async function lastUnit(root: string): Promise<string> {
  const journal = await readFile(join(journalsOf(root), 'journal.log'), 'utf8').catch(() => '');
  const units = [...journal.matchAll(/^.*? ([\w-]+\.service)\[\d+\]: /gm)];
  return units.at(-1)?.[1] ?? 'bootkube.service';
}

/** Units whose lines are only in the whole journal, as in a real bundle. */
const WITHOUT_OWN_FILE = [
  'node-image-pull.log',
  'node-image-overlay.log',
  'node-image-finish.log',
  'progress.log',
];

async function copyJournals(root: string, to: string): Promise<void> {
  await copyIfThere(journalsOf(root), to);
  for (const name of WITHOUT_OWN_FILE) await rm(join(to, name), { force: true });
  const whole = join(to, 'journal.log');
  const bytes = await readFile(whole).catch(() => undefined);
  if (!bytes) return;
  await writeFile(`${whole}.gz`, gzipSync(bytes));
  await rm(whole);
}

async function copyIfThere(from: string, to: string): Promise<void> {
  await makeFolder(to);
  const names = await readdir(from).catch(() => []);
  for (const name of names) await cp(join(from, name), join(to, name));
}
