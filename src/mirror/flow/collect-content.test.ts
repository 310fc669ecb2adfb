import { join } from 'node:path';
import { expect, test } from 'vitest';
import { UPSTREAM } from '../../../test/support/upstream.ts';
import { upstreamSource } from '../../../test/support/upstream-source.ts';
import type { CollectDeps } from '../../content/collecting.ts';
import { parseImageSet } from '../../content/image-set/parse-image-set.ts';
import { loadReleaseKeys } from '../../content/release/signatures/release-keys.ts';
import { recordingContext } from '../../core/context.ts';
import { createWeb } from '../../http/web.ts';
import { collectContent } from './collect-content.ts';

const SET = parseImageSet(
  `kind: ImageSetConfiguration
apiVersion: mirror.openshift.io/v2alpha1
mirror:
  platform:
    channels:
    - name: stable-4.18
      minVersion: 4.18.1
      maxVersion: 4.18.1
`,
  'imageset.yaml',
);

async function depsWith(more: Partial<CollectDeps>): Promise<CollectDeps> {
  return {
    source: upstreamSource,
    web: createWeb({ env: {} }),
    graph: join(UPSTREAM, 'graph-stable-4.18-amd64.json'),
    signatureStores: [`file://${join(UPSTREAM, 'signatures')}`],
    releaseKeys: await loadReleaseKeys([join(UPSTREAM, 'release-key.asc')]),
    ...more,
  };
}

test('collectContent stops at a release whose signature is not by a key we trust', async () => {
  const deps = await depsWith({ releaseKeys: await loadReleaseKeys() });

  await expect(collectContent(recordingContext(), SET, deps)).rejects.toMatchObject({
    code: 'SIGNATURE_INVALID',
    message: expect.stringContaining('nothing was copied'),
  });
});

test('collectContent stops at a release that nobody signed, and says that apart', async () => {
  const deps = await depsWith({ signatureStores: [`file://${join(UPSTREAM, 'blobs')}`] });

  await expect(collectContent(recordingContext(), SET, deps)).rejects.toMatchObject({
    code: 'SIGNATURE_MISSING',
    message: expect.stringContaining('nothing was copied'),
  });
});

test('collectContent takes it when told to, and says so', async () => {
  const ctx = recordingContext();
  const deps = await depsWith({
    releaseKeys: await loadReleaseKeys(),
    ignoreReleaseSignature: true,
  });

  const { images } = await collectContent(ctx, SET, deps);

  expect(images.filter(({ kind }) => kind === 'release')).toHaveLength(1);
  expect(ctx.events.some(({ type }) => type === 'warning.raised')).toBe(true);
});
