import { expect, test } from 'vitest';
import { unitsOfGenerators } from './generators.ts';

const file = (path: string, text?: string) => ({
  path,
  mode: 0o755,
  content: text === undefined ? undefined : Buffer.from(text),
  source: undefined,
});

const PATH = '/etc/systemd/system-generators/gen';
const made = (...lines: readonly string[]) =>
  unitsOfGenerators([file(PATH, ['#!/bin/bash', ...lines].join('\n'))]);

const UNIT = { name: 'a.service', contents: '[Unit]\nAfter=b.service\n', writtenBy: 'gen' };

test.each([
  ['cat > "$1/a.service" <<EOF\n[Unit]\nAfter=b.service\nEOF'],
  [`cat <<EOF >"\${1}/a.service"\n[Unit]\nAfter=b.service\nEOF`],
  ['out="$1"\ncat <<\'EOF\' | tee "$out/a.service" > /dev/null\n[Unit]\nAfter=b.service\nEOF'],
  ['printf "[Unit]\\nAfter=b.service" > "$1/a.service"'],
  ["printf '%s\\n' '[Unit]' 'After=b.service' > $1/a.service"],
  ['echo "[Unit]" > "$1/a.service"; echo "After=b.service" >> "$1/a.service"'],
])('unitsOfGenerators finds the unit that is written by %j', (script) => {
  expect(made(script)).toEqual([UNIT]);
});

test('unitsOfGenerators finds drop-ins, and units that are copied from files of the config', () => {
  expect(made('echo After=x > "$1/a.service.d/10.conf"')).toEqual([
    { name: 'a.service', dropins: [{ name: '10.conf', contents: 'After=x\n' }], writtenBy: 'gen' },
  ]);
  const copied = (command: string) =>
    unitsOfGenerators([
      file(PATH, `#!/bin/sh\n${command}\n`),
      file('/usr/share/a.service', UNIT.contents),
    ]);

  expect(copied('cp /usr/share/a.service "$1/"')).toEqual([UNIT]);
  expect(copied('install -m644 /usr/share/a.service "$1/a.service"')).toEqual([UNIT]);
  expect(copied('cp /elsewhere/a.service "$1"')).toEqual([{ ...UNIT, contents: '' }]);
});

test.each([
  ['ln -sf /etc/systemd/system/a.service "$1/multi-user.target.wants/a.service"'],
  ['ln -s ../a.service "$1/multi-user.target.wants/"'],
  ['wants="$1/kubelet.service.requires"\nln -s /etc/systemd/system/a.service $wants'],
  [`for u in a; do ln -s "/x/$u.service" "$1/x.target.wants/\${u}.service" 2>/dev/null; done`],
])('unitsOfGenerators finds the unit that is pulled in by %j', (script) => {
  expect(made(script)).toEqual([{ name: 'a.service', linkedBy: 'gen' }]);
});

test('unitsOfGenerators finds what is masked', () => {
  expect(made('ln -s /dev/null "$2/a.service"')).toEqual([{ name: 'a.service', mask: true }]);
});

test.each([
  ['ln -s /etc/systemd/system/a.target "$1/default.target"'],
  ['echo done > /run/a.log'],
  ['echo a.service'],
  ['ln -s'],
])('unitsOfGenerators finds nothing in %j', (script) => {
  expect(made(script)).toEqual([]);
});

test('unitsOfGenerators reads scripts among the generators only', () => {
  const text = '#!/bin/sh\nln -s a.service "$1/x.wants/"\n';

  expect(unitsOfGenerators([file('/usr/local/bin/gen', text)])).toEqual([]);
  expect(unitsOfGenerators([file(PATH, text.replace('#!', '\u007fELF'))])).toEqual([]);
  expect(unitsOfGenerators([file(PATH)])).toEqual([]);
  expect(unitsOfGenerators([file('/usr/lib/systemd/system-generators/gen', text)])).toHaveLength(1);
});
