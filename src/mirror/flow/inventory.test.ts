import { expect, test } from 'vitest';
import { openRegistries } from '../../../test/support/remote.ts';
import { startScriptedRegistry } from '../../../test/support/scripted-registry.ts';
import { tempDir } from '../../../test/support/temp.ts';
import { silentContext } from '../../core/context.ts';
import { parseDigest } from '../../oci/digest.ts';
import { MEDIA_TYPES } from '../../oci/media-types.ts';
import { parseReference } from '../../oci/reference.ts';
import { parseDestination } from '../destination.ts';
import { takeInventory } from './inventory.ts';
import { type KnownImage, WorkingDir } from './working-dir.ts';

/** An image that is at a registry and known to be there. */
async function imageAt(repository: string): Promise<KnownImage & { readonly host: string }> {
  const { host, memory } = await startScriptedRegistry();
  const text = JSON.stringify({
    schemaVersion: 2,
    mediaType: MEDIA_TYPES.ociIndex,
    manifests: [],
    annotations: { repository },
  });
  const digest = memory.addManifest(repository, 'v1', MEDIA_TYPES.ociIndex, text);
  const source = parseReference(`quay.io/${repository}:v1`);
  return {
    host,
    image: { kind: 'additional', source, reason: 'asked for' },
    target: parseReference(`${host}/${repository}:v1`),
    digest: parseDigest(digest),
  };
}

test('takeInventory lists what one mirror has, not what another of the same folder has', async () => {
  const [here, there] = await Promise.all([imageAt('ocp/team/app'), imageAt('ocp/team/other')]);
  const workingDir = new WorkingDir(await tempDir());
  await workingDir.addMirrored([here, there]);

  const inventory = await takeInventory(
    silentContext(),
    openRegistries(),
    parseDestination(`${here.host}/ocp`),
    workingDir,
  );

  expect(inventory.content).toEqual({ [here.digest]: 'team/app' });
});
