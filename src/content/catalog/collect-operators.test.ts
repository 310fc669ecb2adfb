import { expect, test } from 'vitest';
import { upstreamSource } from '../../../test/support/upstream-source.ts';
import { recordingContext } from '../../core/context.ts';
import { parseImageSet } from '../image-set/parse-image-set.ts';
import { collectOperators } from './collect-operators.ts';

const INDEX = 'registry.redhat.io/redhat/redhat-operator-index:v4.18';

const setOf = (operators: object[], version = 'v2alpha1') =>
  parseImageSet(
    JSON.stringify({
      apiVersion: `mirror.openshift.io/${version}`,
      kind: 'ImageSetConfiguration',
      mirror: { operators },
    }),
    'isc.yaml',
  );

async function collect(operator: object, version?: string) {
  const ctx = recordingContext();
  const set = setOf([{ catalog: INDEX, ...operator }], version);
  const collection = await collectOperators(ctx, set, { source: upstreamSource });
  return { ...collection, events: ctx.events };
}

test('collectOperators brings what an operator needs', async () => {
  const c = await collect({ packages: [{ name: 'odf-operator' }] });
    c.warnings,
    c.failures,
    c.events,
  );
  expect(c.failures).toEqual([]);
});
