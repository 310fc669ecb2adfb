import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readYaml, toYaml } from '../core/yaml.ts';

const AWKWARD = {
  yes: 'no',
  on: 'off',
  version: '4.10',
  time: '12:30',
  octal: '0755',
  empty: '',
  nothing: 'null',
  pem: '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n',
  json: '{"auths":{"a":{"auth":"eA=="}}}',
  long: 'x'.repeat(300),
  tab: '\tfirst\nsecond\n',
  'line\u2028key': 'a\u2028b\u0085c\u007f',
  list: [1, true, 'true', '1', { a: '~' }],
};

const SCRIPT = `
import json, sys, yaml
texts = json.load(sys.stdin)
print(json.dumps([list(yaml.safe_load_all(text)) for text in texts]))
`;
const hasPython = spawnSync('python3', ['-c', 'import yaml']).status === 0;

/** What a reader of YAML 1.1 that is not ours makes of each text. */
function pythonReads(texts: readonly string[]): unknown[] {
  const input = JSON.stringify(texts);
  return JSON.parse(execFileSync('python3', ['-c', SCRIPT], { input, encoding: 'utf8' }));
}

test('toYaml separates documents and reads back', () => {
  expect(readYaml(toYaml(AWKWARD, { b: 1 }), 'x')).toEqual([AWKWARD, { b: 1 }]);
});

test('readYaml says where the mistake is', () => {
  expect(() => readYaml('a: 1\nb: [', '"f.yaml"')).toThrow(/^Cannot read "f.yaml": line 2, column/);
});

describe.runIf(hasPython)('A second YAML parser', () => {
  test('is not misled by strings that YAML 1.1 takes for something else', () => {
    expect(pythonReads([toYaml(AWKWARD)])).toEqual([[AWKWARD]]);
  });

  test('reads every golden file as we do', () => {
    const golden = join(import.meta.dirname, 'golden');
    const names = readdirSync(golden).filter((name) => /\.ya?ml$/.test(name));
    const texts = names.map((name) => readFileSync(join(golden, name), 'utf8'));

    expect(names.length).toBeGreaterThan(8);
    expect(pythonReads(texts)).toEqual(texts.map((text) => readYaml(text, 'golden')));
  });
});
