import { execFileSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { readYaml, toYaml } from './yaml.ts';

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
  list: [1, true, 'true', '1', { a: '~' }],
};

describe('toYaml', () => {
  test('separates documents and reads back', () => {
    expect(readYaml(toYaml(AWKWARD, { b: 1 }), 'x')).toEqual([AWKWARD, { b: 1 }]);
  });

  test('quotes what a YAML 1.1 reader would take for something else', () => {
    const script = 'import json,sys,yaml; print(json.dumps(list(yaml.safe_load_all(sys.stdin))))';
    const python = (input: string) =>
      execFileSync('python3', ['-c', script], { input, encoding: 'utf8', stdio: 'pipe' });
    const hasPython = (() => {
      try {
        return python('a: 1') !== '';
      } catch {
        return false;
      }
    })();
    // The second parser is python's where there is one, else JSON as a subset of YAML.
    const second = hasPython
      ? JSON.parse(python(toYaml(AWKWARD)))
      : readYaml(JSON.stringify(AWKWARD), 'x');

    expect(second).toEqual([AWKWARD]);
  });
});

test('readYaml says where the mistake is', () => {
  expect(() => readYaml('a: 1\nb: [', '"f.yaml"')).toThrow(/^Cannot read "f.yaml": line 2, column/);
});
