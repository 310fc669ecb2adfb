import { expect, test } from 'vitest';
import { FOUND, notingRegistries } from '../../../test/support/noting-registries.ts';
import { parseImageSet } from '../../content/image-set/parse-image-set.ts';
import { type Context, silentContext } from '../../core/context.ts';
import { parseReference } from '../../oci/reference.ts';
import type { Registries } from '../../remote/registries.ts';
import { parseDestination } from '../destination.ts';
import { askAhead, EarlyAnswers } from './ask-ahead.ts';

const ctx = silentContext();
const destination = parseDestination('mirror.test/ocp');

const setWith = (content: string) =>
  parseImageSet(
    `kind: ImageSetConfiguration\napiVersion: mirror.openshift.io/v2alpha1\nmirror:\n${content}`,
    'set.yaml',
  );

const LISTED = `  additionalImages:
  - name: quay.io/a/b:v1
  - name: quay.io/a/c@${FOUND.digest}
  - name: quay.io/a/d:v1
    targetRepo: other/name
    targetTag: broken
  - name: oci:///tmp/layout
`;

test('askAhead asks the mirror for what an image set lists, at the place it will have there', async () => {
  const { registries, asked } = notingRegistries();
  const answers = askAhead(ctx, { imageSet: setWith(LISTED), destination, registries });

  const name = parseReference('mirror.test/ocp/a/b:v1');
  expect(await answers?.take(name)).toMatchObject({ found: FOUND, tookMs: expect.any(Number) });
  expect(asked).toEqual([
    'mirror.test/ocp/a/b:v1',
    `mirror.test/ocp/a/c:${FOUND.digest.replace(':', '-')}`,
    'mirror.test/ocp/other/name:broken',
  ]);
});

test('askAhead gives an answer once, and a failure to whoever takes it', async () => {
  const { registries } = notingRegistries();
  const answers = askAhead(ctx, { imageSet: setWith(LISTED), destination, registries });
  const name = parseReference('mirror.test/ocp/a/b:v1');

  expect(await answers?.take(name)).toMatchObject({ found: FOUND });
  expect(answers?.take(name)).toBeUndefined();
  expect(answers?.take(parseReference('mirror.test/ocp/a/b:v2'))).toBeUndefined();
  const broken = answers?.take(parseReference('mirror.test/ocp/other/name:broken'));
  await expect(broken).rejects.toThrow('cable out');
});

test('askAhead leaves it where collecting takes long: the answers would be old', () => {
  const { registries, asked } = notingRegistries();
  const imageSet = setWith(
    `${LISTED}  operators:\n  - catalog: registry.test/redhat/catalog:v4.18\n`,
  );

  expect(askAhead(ctx, { imageSet, destination, registries })).toBeUndefined();
  expect(asked).toEqual([]);
});

test('askAhead asks once for what was asked before the image set was known, and not for what it does not list', async () => {
  const { registries, asked } = notingRegistries();
  const before = new EarlyAnswers(ctx, registries);
  // More than are under way at once.
  const names = Array.from({ length: 40 }, (_, n) => parseReference(`mirror.test/ocp/old:v${n}`));
  before.ask([parseReference('mirror.test/ocp/a/b:v1'), ...names]);

  const answers = askAhead(ctx, {
    imageSet: setWith(LISTED),
    destination,
    registries,
    asked: before,
  });

  expect(await answers?.take(parseReference('mirror.test/ocp/a/b:v1'))).toMatchObject({
    found: FOUND,
  });
  await answers?.take(parseReference('mirror.test/ocp/other/name:broken'))?.catch(() => undefined);
  expect(asked.filter((name) => name === 'mirror.test/ocp/a/b:v1')).toHaveLength(1);
  expect(asked).toContain('mirror.test/ocp/other/name:broken');
  expect(asked.filter((name) => name.includes('old')).length).toBeLessThan(40);
  const dropped = answers?.take(parseReference('mirror.test/ocp/old:v39'));
  await expect(dropped).rejects.toThrow('not wanted');
});

test('EarlyAnswers asks for nothing more and tells nothing once it is over', async () => {
  const events: unknown[] = [];
  const signals: AbortSignal[] = [];
  const { registries } = notingRegistries();
  const repository: Registries['repository'] = (registry, path) => {
    const real = registries.repository(registry, path);
    const resolve = (within: Context) => {
      signals.push(within.signal);
      return new Promise<never>((_, reject) => {
        within.signal.addEventListener('abort', () => reject(within.signal.reason));
      });
    };
    const read = real.can.read && { ...real.can.read, resolve };
    return Object.assign(Object.create(real), { can: { ...real.can, read } });
  };
  const within = { ...ctx, emit: (event: unknown) => events.push(event) };
  const answers = new EarlyAnswers(
    within,
    Object.assign(Object.create(registries), { repository }),
  );
  answers.ask(Array.from({ length: 40 }, (_, n) => parseReference(`mirror.test/ocp/a:v${n}`)));
  const underWay = signals.length;

  answers.end();

  const first = answers.take(parseReference('mirror.test/ocp/a:v0'));
  const last = answers.take(parseReference('mirror.test/ocp/a:v39'));
  await expect(first).rejects.toThrow('no answer is needed');
  await expect(last).rejects.toThrow('no answer is needed');
  expect(signals.every((signal) => signal.aborted)).toBe(true);
  expect([signals.length, events]).toEqual([underWay, []]);
});
