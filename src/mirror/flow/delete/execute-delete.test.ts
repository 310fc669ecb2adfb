import { expect, test } from 'vitest';
import { openRegistries } from '../../../../test/support/remote.ts';
import {
  type ScriptedRegistry,
  startScriptedRegistry,
} from '../../../../test/support/scripted-registry.ts';
import { tempDir } from '../../../../test/support/temp.ts';
import { parseImageSet } from '../../../content/image-set/parse-image-set.ts';
import { silentContext } from '../../../core/context.ts';
import { parseDigest } from '../../../oci/digest.ts';
import { MEDIA_TYPES } from '../../../oci/media-types.ts';
import { parseReference } from '../../../oci/reference.ts';
import { parseDestination } from '../../destination.ts';
import { type KnownImage, WorkingDir } from '../working-dir.ts';
import { executeDelete } from './execute-delete.ts';
import { planDelete } from './plan-delete.ts';

const ctx = silentContext();
const SET = parseImageSet(
  `apiVersion: mirror.openshift.io/v2alpha1
kind: DeleteImageSetConfiguration
delete:
  additionalImages:
  - name: quay.io/team/app:v1
`,
  'delete.yaml',
);

/** An index of two images at `team/app:v1`, and what the working folder knows of it. */
function addIndex({ host, memory }: ScriptedRegistry): { known: KnownImage; manifests: string[] } {
  const parts = ['amd64', 'arm64'].map((architecture) => {
    const config = memory.addBlob('team/app', Buffer.from(JSON.stringify({ architecture })));
    const text = JSON.stringify({
      schemaVersion: 2,
      mediaType: MEDIA_TYPES.ociManifest,
      config: { mediaType: MEDIA_TYPES.ociConfig, digest: config, size: 24 },
      layers: [],
    });
    const digest = memory.addManifest('team/app', architecture, MEDIA_TYPES.ociManifest, text);
    const platform = { os: 'linux', architecture };
    return { mediaType: MEDIA_TYPES.ociManifest, digest, size: text.length, platform };
  });
  const text = JSON.stringify({
    schemaVersion: 2,
    mediaType: MEDIA_TYPES.ociIndex,
    manifests: parts,
  });
  const digest = memory.addManifest('team/app', 'v1', MEDIA_TYPES.ociIndex, text);
  const source = parseReference('quay.io/team/app:v1');
  return {
    known: {
      image: { kind: 'additional', source, reason: 'asked for' },
      target: parseReference(`${host}/team/app:v1`),
      digest: parseDigest(digest),
    },
    manifests: [digest, ...parts.map((part) => part.digest)],
  };
}

async function openMirror(script?: Parameters<typeof startScriptedRegistry>[0]) {
  const registry = await startScriptedRegistry(script);
  const { known, manifests } = addIndex(registry);
  const workingDir = new WorkingDir(await tempDir());
  await workingDir.addMirrored([known]);
  const common = { workingDir, registries: openRegistries() };
  const destination = parseDestination(registry.host);
  const left = () => manifests.filter((each) => registry.memory.manifests.has(`team/app:${each}`));
  const remove = async () =>
    executeDelete(ctx, await planDelete(ctx, { imageSet: SET, destination, ...common }), common);
  return { registry, known, left, remove, workingDir };
}

test('executeDelete, cut off inside an index, finds the rest of it the next time', async () => {
  let deletes = 0;
  const { left, remove, workingDir } = await openMirror(({ method }) => {
    if (method !== 'DELETE') return undefined;
    deletes += 1;
    return deletes === 2 ? { status: 403, body: '{}' } : undefined;
  });

  const first = await remove();
  const known = await workingDir.mirrored();
  const second = await remove();

  expect(first).toMatchObject({ deleted: [], failures: [{}], freedBytes: 0 });
  expect(known).toHaveLength(1);
  expect(second.failures).toEqual([]);
  expect(left()).toEqual([]);
});

test('executeDelete does not say that a place is empty which holds another image now', async () => {
  const { registry, left, remove } = await openMirror();
  const other = JSON.stringify({
    schemaVersion: 2,
    mediaType: MEDIA_TYPES.ociIndex,
    manifests: [],
  });
  registry.memory.addManifest('team/app', 'v1', MEDIA_TYPES.ociIndex, other);

  const result = await remove();

  expect(result).toMatchObject({ deleted: [], failures: [], freedBytes: 0 });
  expect(left()).toHaveLength(3);
});
