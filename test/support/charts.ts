import { onTestFinished } from 'vitest';
import type { CollectDeps } from '../../src/content/collecting.ts';
import { collectHelm } from '../../src/content/helm/collect-helm.ts';
import { parseImageSet } from '../../src/content/image-set/parse-image-set.ts';
import { silentContext } from '../../src/core/context.ts';
import { createWeb } from '../../src/http/web.ts';

/** What an image set with this section \`helm\` asks for; there are no registries unless they are given. */
export async function collectCharts(helm: object, deps: Partial<CollectDeps> = {}) {
  const document = {
    apiVersion: 'mirror.openshift.io/v2alpha1',
    kind: 'ImageSetConfiguration',
    mirror: { helm },
  };
  const set = parseImageSet(JSON.stringify(document), 'isc.yaml');
  const web = createWeb();
  onTestFinished(() => web.close());
  const source = () => {
    throw new Error('no registry');
  };
  return await collectHelm(silentContext(), set, { source, web, ...deps });
}
