// Makes dist/release/: package, one file, executable, notices, bill of materials, sums and notes. `npm run release -- v1.2.3`
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const folder = join(root, 'dist', 'release');
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/** A release under one number with another inside would be believed for years. */
function agreeOn(tag) {
  const inside = readFileSync(join(root, 'assets', 'version.txt'), 'utf8').trim();
  const wrong = [
    tag !== undefined && tag !== `v${version}` && `the tag is ${tag}, package.json says ${version}`,
    inside !== version && `assets/version.txt says ${inside}, package.json ${version}`,
  ].filter(Boolean);
  if (wrong.length === 0) return;
  console.error(`release: ${wrong.join('; ')}`);
  process.exit(1);
}

/** What the changelog says of this version, or of what is not released yet. */
export function notesFor(changelog, wanted) {
  const sections = changelog.split(/^## /m).slice(1);
  const section = sections.find((text) => text.startsWith(wanted)) ?? sections[0] ?? '';
  return `${section.split('\n').slice(1).join('\n').trim()}\n`;
}

function sums() {
  return readdirSync(folder)
    .sort()
    .map((name) => {
      const hash = createHash('sha256')
        .update(readFileSync(join(folder, name)))
        .digest('hex');
      return `${hash}  ${name}\n`;
    })
    .join('');
}

agreeOn(process.argv[2]);
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
const run = (file, ...args) => execFileSync(file, args, { cwd: root, stdio: ['ignore', 2, 2] });
run('npm', 'pack', '--pack-destination', folder);
run(process.execPath, 'scripts/bundle.mjs', join(folder, 'atoll.mjs'));
run(process.execPath, 'scripts/binary.mjs', join(folder, `atoll-linux-${process.arch}`));
for (const name of ['NOTICES.txt', 'sbom.spdx.json'])
  copyFileSync(join(root, 'dist', name), join(folder, name));
writeFileSync(
  join(folder, 'NOTES.md'),
  notesFor(readFileSync(join(root, 'CHANGELOG.md'), 'utf8'), version),
);
writeFileSync(join(folder, 'SHA256SUMS'), sums());
console.error(`wrote ${folder}`);
