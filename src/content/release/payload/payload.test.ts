import { describe, expect, test } from 'vitest';
import { MemoryImages } from '../../../../test/support/images.ts';
import { upstreamSource } from '../../../../test/support/upstream-source.ts';
import { silentContext } from '../../../core/context.ts';
import type { Descriptor } from '../../../oci/descriptor.ts';
import { kubeVirtDisks } from './kubevirt.ts';
import { componentOf, readPayload } from './payload.ts';

const ctx = silentContext();
const HEX = 'a'.repeat(64);
const source = upstreamSource({
  registry: 'quay.io',
  repository: 'openshift-release-dev/ocp-release',
});

const references = (tags: readonly object[], fields: object = {}) =>
  JSON.stringify({
    kind: 'ImageStream',
    apiVersion: 'image.openshift.io/v1',
    metadata: { name: '4.20.1' },
    spec: { tags },
    ...fields,
  });
const metadata = JSON.stringify({ kind: 'cincinnati-metadata-v0', version: '4.20.1' });
const image = (name: string) => ({ kind: 'DockerImage', name });

async function payloadOf(text: string, more: Record<string, string> = {}) {
  const images = new MemoryImages();
  const files = { 'image-references': text, 'release-metadata': metadata, ...more };
  const layer = await images.addLayer(
    Object.entries(files).map(([name, content]) => ({
      name: `release-manifests/${name}`,
      content,
    })),
  );
  return { images, layer, descriptor: images.addImage([layer]) };
}

async function read(text: string, more?: Record<string, string>) {
  const { images, descriptor } = await payloadOf(text, more);
  return await readPayload(ctx, images, descriptor);
}

describe('readPayload', () => {
  test.each([
    ['4.18.1-x86_64', '4.18.1', 'amd64', 3],
    ['4.18.2-aarch64', '4.18.2', 'arm64', 3],
  ])('reads %s of the fixture, made by oc', async (tag, version, architecture, previous) => {
    const descriptor = (await source.resolve(ctx, tag)) as Descriptor;

    const payload = await readPayload(ctx, source, descriptor);

    expect(payload).toMatchObject({ version, architecture, tag, digest: descriptor.digest });
    expect(payload.components).toHaveLength(21);
    expect(payload.metadata.previous.length).toBeLessThanOrEqual(previous);
    expect(payload.metadata.url).toMatch(/^https:\/\/access.redhat.com/);
    expect(componentOf(payload, 'etcd').image).toMatchObject({
      registry: 'quay.io',
      repository: 'openshift-release-dev/ocp-v4.0-art-dev',
    });
    expect([...payload.manifests.keys()]).toContain(
      '0000_50_cluster-etcd-operator_01_deployment.yaml',
    );
  });

  test('reads a multi-architecture release through any of its images', async () => {
    const { images, layer } = await payloadOf(references([]));
    const arm = images.addImage([layer], undefined, { architecture: 'arm64' });
    const platform = { os: 'linux', architecture: 'arm64' };

    const index = images.addIndex([{ ...arm, platform }]);

    expect(await readPayload(ctx, images, index)).toMatchObject({
      architecture: 'multi',
      tag: '4.20.1-multi',
      digest: index.digest,
    });
  });

  test('skips tags that are no images and sorts the rest', async () => {
    const payload = await read(
      references([
        { name: 'z', from: image(`quay.io/a/z@sha256:${HEX}`) },
        { name: 'skip', from: { kind: 'ImageStreamTag', name: 'x:y' } },
        { name: 'a', from: image(`quay.io/a/a@sha256:${HEX}`), annotations: { x: 'y' } },
      ]),
    );

    expect(payload.components.map(({ name }) => name)).toEqual(['a', 'z']);
    expect(payload.components[0]?.annotations).toEqual({ x: 'y' });
  });

  test.each([
    ['a tag', references([{ name: 'a', from: image('quay.io/a/a:1') }]), 'not pinned by digest'],
    [
      'tag and digest',
      references([{ name: 'a', from: image(`quay.io/a/a:1@sha256:${HEX}`) }]),
      'has a tag as well',
    ],
    ['another kind', references([], { kind: 'List' }), 'kind'],
    ['no JSON', 'x', 'it is not JSON'],
  ])('refuses image-references with %s', async (_, text, why) => {
    await expect(read(text)).rejects.toMatchObject({
      code: 'PAYLOAD_INVALID',
      message: expect.stringContaining(why),
    });
  });

  test('says that an image is no release', async () => {
    const images = new MemoryImages();
    const descriptor = images.addImage([await images.addLayer([{ name: 'a', content: 'a' }])]);

    await expect(readPayload(ctx, images, descriptor)).rejects.toMatchObject({
      code: 'PAYLOAD_INVALID',
      hint: expect.stringContaining('Name a release image'),
    });
  });
});

test('componentOf names the nearest component', async () => {
  const payload = await read(references([{ name: 'etcd', from: image(`q.io/a/e@sha256:${HEX}`) }]));

  expect(() => componentOf(payload, 'ectd')).toThrow(
    expect.objectContaining({ hint: 'Did you mean "etcd"?' }),
  );
});

describe('kubeVirtDisks', () => {
  const disk = (name: string) => ({
    images: { kubevirt: { 'digest-ref': `quay.io/d/${name}@sha256:${HEX}` } },
  });
  const stream = {
    architectures: { x86_64: disk('x'), s390x: disk('s'), aarch64: { images: {} } },
  };
  const bootImages = (data: unknown) => ({
    '0000_50_installer_coreos-bootimages.yaml': `apiVersion: v1\nkind: ConfigMap\ndata:\n  stream: '${JSON.stringify(data)}'\n`,
  });

  test('finds the disks of the architectures that have one', async () => {
    const payload = await read(references([]), bootImages(stream));

    expect(kubeVirtDisks(payload, ['amd64', 'arm64'])).toMatchObject([
      { name: 'kube-virt-container', image: { repository: 'd/x' } },
    ]);
    expect(kubeVirtDisks(payload, ['amd64', 's390x']).map(({ name }) => name)).toEqual([
      'kube-virt-container-x86_64',
      'kube-virt-container-s390x',
    ]);
  });

  test('says which architectures have one, or that the file is broken', async () => {
    const payload = await read(references([]), bootImages(stream));
    const none = await read(references([]));
    const broken = await read(references([]), bootImages({ architectures: 1 }));

    expect(() => kubeVirtDisks(payload, ['arm64'])).toThrow(
      expect.objectContaining({ hint: 'It has one for x86_64, s390x' }),
    );
    expect(() => kubeVirtDisks(none, ['amd64'])).toThrow('Cannot find a KubeVirt disk');
    expect(() => kubeVirtDisks(broken, ['amd64'])).toThrow('coreos-bootimages');
  });
});
