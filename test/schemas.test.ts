import { readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { publishedSchemas } from '../src/cli/published-schemas.ts';
import { silentContext } from '../src/core/context.ts';
import { eventLogPath, openEventLog } from '../src/workflow/event-log.ts';
import { type MirrorLab, startMirrorLab } from './support/mirror-lab.ts';
import { describeWithPeers } from './support/peers.ts';

// What is published is what others validate with: not zod, and from the files that are shipped.

const ROOT = join(import.meta.dirname, '..');
const NAMES = readdirSync(join(ROOT, 'schemas'));

const published = (name: string): Record<string, unknown> =>
  JSON.parse(readFileSync(join(ROOT, 'schemas', name), 'utf8'));

function validator(name: string): ValidateFunction {
  return new Ajv2020({ strictTypes: false, allErrors: true }).compile(published(name));
}

function mistakesIn(name: string, value: unknown): unknown[] {
  const validate = validator(name);
  validate(value);
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

const yamlOf = (path: string): unknown => parse(readFileSync(join(ROOT, path), 'utf8'));
const examples = (folder: string) =>
  readdirSync(join(ROOT, 'examples', folder)).map((name) => `examples/${folder}/${name}`);

test('schemas are those of the sources, each with an id of its own', () => {
  expect(NAMES.toSorted()).toEqual(Object.keys(publishedSchemas()));
  const ids = NAMES.map((name) => published(name).$id);
  expect(ids).toEqual(NAMES.map((name) => `urn:atoll:schema:${name.replace('.json', '')}:1`));
});

test('package.json ships the schemas', () => {
  const { files } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  expect(files).toContain('schemas');
});

describe('schemas/site.json', () => {
  test.each(examples('sites'))('accepts %s', (path) => {
    expect(mistakesIn('site.json', yamlOf(path))).toEqual([]);
  });

  test('refuses a field nobody knows', () => {
    const site = yamlOf(examples('sites')[0] ?? '') as object;
    expect(mistakesIn('site.json', { ...site, clutser: {} })).not.toEqual([]);
  });
});

describe('schemas/image-set.json', () => {
  const head = { apiVersion: 'mirror.openshift.io/v2alpha1', kind: 'ImageSetConfiguration' };
  const operators = [{ catalog: 'r.io/a/index:v1', targetName: 'slim' }];

  test.each(examples('image-sets'))('accepts %s', (path) => {
    expect(mistakesIn('image-set.json', yamlOf(path))).toEqual([]);
  });

  test('knows the fields of both versions, each in its own', () => {
    const old = { ...head, apiVersion: 'mirror.openshift.io/v1alpha2', mirror: { operators } };

    expect(mistakesIn('image-set.json', old)).toEqual([]);
    expect(mistakesIn('image-set.json', { ...head, mirror: { operators } })).not.toEqual([]);
  });

  test('refuses a misspelled field and a stanza of the other kind', () => {
    expect(mistakesIn('image-set.json', { ...head, mirror: { platfrom: {} } })).not.toEqual([]);
    expect(mistakesIn('image-set.json', { ...head, delete: {} })).not.toEqual([]);
  });
});

describeWithPeers(['docker-registry'], 'the schemas of what atoll writes', () => {
  let lab: MirrorLab;
  beforeAll(async () => {
    lab = await startMirrorLab();
  });
  afterAll(() => lab?.stop());

  test('accept the report, the bundle and the events of a real run in which something failed', async () => {
    const config = await lab.imageSet(
      'mirror:\n  platform: {channels: [{name: stable-4.18}]}\n  additionalImages:\n  - name: quay.io/openshifttest/nobody:1\n  - name: quay.io/openshifttest/helm:3.17.0\n',
    );
    const [to, dir] = [await lab.folder('bundle'), await lab.folder('save')];

    const saved = await lab.atoll(
      ...['save', '-c', config, '--to', to, '--dir', dir],
      ...lab.collectFlags,
    );

    expect(saved.status).toBe(7);
    const report = JSON.parse(await readFile(join(dir, 'working-dir', 'report.json'), 'utf8'));
    expect(report.failed).toBe(1);
    expect(mistakesIn('report.json', report)).toEqual([]);
    expect(mistakesIn('report.json', { ...report, flow: 'walk' })).not.toEqual([]);

    const index = JSON.parse(await readFile(join(to, 'bundle.json'), 'utf8'));
    expect(mistakesIn('bundle.json', index)).toEqual([]);
    expect(mistakesIn('bundle.json', { ...index, chunks: 'none' })).not.toEqual([]);

    const log = await openEventLog(silentContext(), dir);
    for (const event of saved.events) log.record(event);
    await log.close();
    const lines = (await readFile(eventLogPath(dir), 'utf8')).trim().split('\n');
    const validate = validator('event.json');
    expect(lines.length).toBeGreaterThan(10);
    expect(lines.filter((line) => !validate(JSON.parse(line)))).toEqual([]);
    expect(validate({ ...JSON.parse(lines[0] ?? ''), seq: 'first' })).toBe(false);
  });
});
