import { expect, test } from 'vitest';
import { operatorHub } from '../../generate/cluster/catalogs.ts';
import { imageConfig, trustedCaConfigMap } from '../../generate/cluster/image-config.ts';
import { releaseSignatures } from '../../generate/cluster/release-signatures.ts';
import { imageDigestMirrorSet } from '../../generate/mirror-sets.ts';
import { objectSchema } from '../api/object.ts';
import { inOrder } from './order.ts';

test('inOrder puts trust before mirrors, mirrors before catalogs, and the rest last', () => {
  const objects = [
    releaseSignatures([]),
    {
      apiVersion: 'operators.coreos.com/v1alpha1',
      kind: 'CatalogSource',
      metadata: { name: 'cs', namespace: 'openshift-marketplace' },
    },
    operatorHub({ defaultsOff: true }),
    imageDigestMirrorSet('idms', [{ source: 'quay.io/a', mirrors: ['m/a'] }]),
    imageConfig({ additionalTrustedCA: 'ca' }),
    trustedCaConfigMap('ca', {}),
  ].map((object) => objectSchema.parse(object));

  const names = inOrder(objects).map(({ kind, metadata }) => `${kind} ${metadata.name}`);

  expect(names).toEqual([
    'ConfigMap ca',
    'Image cluster',
    'ImageDigestMirrorSet idms',
    'OperatorHub cluster',
    'CatalogSource cs',
    'ConfigMap mirrored-release-signatures',
  ]);
});
