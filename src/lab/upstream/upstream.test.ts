import { verify } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { readKey, readMessage, verify as verifyMessage } from 'openpgp';
import { expect, test } from 'vitest';
import { tempDir } from '../../../test/support/temp.ts';
import { silentContext } from '../../core/context.ts';
import type { Target } from '../../oci/content.ts';
import { isImage, type RawManifest } from '../../oci/manifest.ts';
import { formatReference, type Reference } from '../../oci/reference.ts';
import { LAB_VERSIONS, makeUpstream, upstreamFiles } from './upstream.ts';

async function makeHere() {
  const folder = await tempDir();
  const blobs = new Map<string, Uint8Array>();
  const tagged = new Map<string, RawManifest>();
  const targetFor = (reference: Reference): Target => ({
    can: {},
    has: async (_ctx, { digest }) => blobs.has(digest),
    putBlob: async (_ctx, { digest }, chunks) => {
      const parts: Uint8Array[] = [];
      for await (const chunk of chunks) parts.push(chunk);
      blobs.set(digest, Buffer.concat(parts));
    },
    putManifest: async (_ctx, manifest, tag) => {
      for (const child of manifest.children) expect(blobs.has(child.digest)).toBe(true);
      blobs.set(manifest.descriptor.digest, manifest.bytes);
      if (tag) tagged.set(formatReference(reference), manifest);
    },
  });
  await makeUpstream(silentContext(), folder, targetFor);
  return { files: upstreamFiles(folder), blobs, tagged };
}

test('makeUpstream makes releases whose two signatures verify against their digests', async () => {
  const { files, blobs, tagged } = await makeHere();
  const graph = JSON.parse(await readFile(files.graph, 'utf8'));
  const [, hex = ''] = graph.nodes[0].payload.split('@sha256:');

  const { signatures, data } = await verifyMessage({
    message: await readMessage({
      binaryMessage: await readFile(`${files.signatures}/sha256=${hex}/signature-1`),
    }),
    verificationKeys: await readKey({ armoredKey: await readFile(files.releaseKey, 'utf8') }),
  });
  expect(await signatures[0]?.verified).toBe(true);
  expect(data).toContain(`sha256:${hex}`);

  const signature = tagged.get(`quay.io/openshift-release-dev/ocp-release:sha256-${hex}.sig`);
  const layer = signature && isImage(signature) ? signature.content.layers[0] : undefined;
  const payload = blobs.get(layer?.digest ?? '') ?? Buffer.alloc(0);
  const value = Buffer.from(
    layer?.annotations?.['dev.cosignproject.cosign/signature'] ?? '',
    'base64',
  );
  expect(verify('sha256', payload, await readFile(files.sigstoreKey, 'utf8'), value)).toBe(true);
});

test('makeUpstream gives the two releases an update edge and shared components', async () => {
  const { files, tagged } = await makeHere();

  const graph = JSON.parse(await readFile(files.graph, 'utf8'));

  expect(graph.nodes.map((node: { version: string }) => node.version)).toEqual(LAB_VERSIONS);
  expect(graph.edges).toEqual([[0, 1]]);
  expect([...tagged.keys()]).toContain('registry.redhat.io/redhat/redhat-operator-index:v4.18');
});
