import { spawnSync } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readImageSet } from '../src/content/image-set/parse-image-set.ts';
import { tempDir } from './support/temp.ts';

const ROOT = join(import.meta.dirname, '..');
const EXAMPLES = join(ROOT, 'examples');
const filesIn = (folder: string) => readdirSync(join(EXAMPLES, folder));

test('the page of examples names each of them', () => {
  const page = readFileSync(join(EXAMPLES, 'README.md'), 'utf8');
  const files = ['image-sets', 'sites'].flatMap((folder) =>
    filesIn(folder).map((name) => `${folder}/${name}`),
  );

  expect(files.filter((file) => !page.includes(`](${file})`))).toEqual([]);
});

test.each(filesIn('image-sets'))('the image set %s is one', async (name) => {
  const set = await readImageSet(join(EXAMPLES, 'image-sets', name));

  expect(set).toMatchObject({ warnings: [] });
});

test.each(filesIn('sites'))('the site %s is valid beside the files it names', async (name) => {
  const folder = await tempDir();
  cpSync(join(EXAMPLES, 'sites', name), join(folder, 'atoll.yaml'));
  const login = { auths: { 'quay.io': { auth: Buffer.from('me:secret').toString('base64') } } };
  for (const file of ['pull-secret.json', 'auth.json']) {
    writeFileSync(join(folder, file), JSON.stringify(login));
  }
  writeFileSync(
    join(folder, 'id_ed25519.pub'),
    'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGV4YW1wbGU me\n',
  );
  writeFileSync(join(folder, 'ca.crt'), '-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n');

  const { status, stderr } = spawnSync(
    process.execPath,
    [join(ROOT, 'dist', 'cli', 'main.js'), 'validate'],
    { cwd: folder, encoding: 'utf8', env: { PATH: process.env.PATH } },
  );

  expect([status, stderr]).toEqual([0, '']);
});
