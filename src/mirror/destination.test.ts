import { describe, expect, test } from 'vitest';
import type { ContentImage, ContentKind } from '../content/content-image.ts';
import { digestOf } from '../oci/digest.ts';
import { formatReference, parseReference } from '../oci/reference.ts';
import { findCollisions, parseDestination, refuseCollisions, targetOf } from './destination.ts';
import { imageRules } from './image-rules.ts';

const DIGEST = digestOf('x');
const HEX = DIGEST.slice(7);
const RELEASE = { version: '4.18.1', tag: '4.18.1-x86_64' };

function image(kind: ContentKind, source: string, more: Partial<ContentImage> = {}): ContentImage {
  return { kind, source: parseReference(source), reason: 'test', ...more };
}

function nameAt(destination: string, content: ContentImage, nested = 0): string {
  return formatReference(targetOf(parseDestination(destination, nested), content));
}

describe('targetOf', () => {
  test('names every kind of image as oc-mirror does', () => {
    const at = (content: ContentImage) => nameAt('docker://mirror:5000/ocp', content);

    expect(at(image('release', `quay.io/r/ocp-release@${DIGEST}`, { release: RELEASE }))).toBe(
      'mirror:5000/ocp/openshift/release-images:4.18.1-x86_64',
    );
    expect(
      at(image('component', `quay.io/r/art@${DIGEST}`, { release: RELEASE, component: 'etcd' })),
    ).toBe('mirror:5000/ocp/openshift/release:4.18.1-x86_64-etcd');
    expect(at(image('related', `registry.redhat.io/a/b@${DIGEST}`))).toBe(
      `mirror:5000/ocp/a/b:sha256-${HEX}`,
    );
    expect(at(image('additional', 'quay.io/a/b:1'))).toBe('mirror:5000/ocp/a/b:1');
    expect(
      at(image('additional', 'quay.io/a/b:1', { targetRepository: 'x/y', targetTag: '2' })),
    ).toBe('mirror:5000/ocp/x/y:2');
    expect(at(image('graph', 'quay.io/ubi:9'))).toBe(
      'mirror:5000/ocp/openshift/graph-image:latest',
    );
  });

  test('joins what is too deep for the registry into the last component', () => {
    const release = image('release', `quay.io/r/ocp-release@${DIGEST}`, { release: RELEASE });

    expect(nameAt('host/mirror', release, 2)).toBe(
      'host/mirror/openshift-release-images:4.18.1-x86_64',
    );
    expect(nameAt('host', release, 1)).toBe('host/openshift-release-images:4.18.1-x86_64');
  });
});

describe('parseDestination', () => {
  test('refuses what is no registry, and a depth the prefix uses up already', () => {
    expect(() => parseDestination('docker://Host/UPPER')).toThrow(
      expect.objectContaining({ code: 'REFERENCE_INVALID' }),
    );
    expect(() => parseDestination('host/a/b', 2)).toThrow(
      expect.objectContaining({ code: 'USAGE' }),
    );
    expect(parseDestination('docker://[::1]:5000/')).toMatchObject({
      registry: '[::1]:5000',
      prefix: '',
    });
  });
});

describe('findCollisions', () => {
  const destination = parseDestination('mirror:5000');
  const named = (...images: ContentImage[]) =>
    images.map((each) => ({ image: each, target: targetOf(destination, each) }));

  test('finds images of two registries that would share a name', () => {
    const collisions = findCollisions(
      named(image('additional', 'quay.io/a/b:1'), image('additional', 'docker.io/a/b:1')),
    );

    expect(collisions).toEqual([
      { target: 'mirror:5000/a/b:1', sources: ['docker.io/a/b:1', 'quay.io/a/b:1'] },
    ]);
    expect(() => refuseCollisions(collisions)).toThrow(
      expect.objectContaining({ code: 'TARGETS_COLLIDE' }),
    );
  });

  test('takes the same content under two names as one', () => {
    const images = ['quay.io/a/b:1', 'docker.io/a/b:1'].map((name) =>
      image('additional', name, { digest: DIGEST }),
    );

    expect(findCollisions(named(...images))).toEqual([]);
  });
});

describe('imageRules', () => {
  const destination = parseDestination('mirror:5000/ocp');
  const rulesOf = (...images: ContentImage[]) =>
    imageRules(images.map((each) => ({ image: each, target: targetOf(destination, each) })));

  test('leads releases by repository and the rest by namespace', () => {
    const { byDigest, byTag } = rulesOf(
      image('release', 'quay.io/openshift-release-dev/ocp-release:4.18.1-x86_64', {
        release: RELEASE,
      }),
      image('component', `quay.io/openshift-release-dev/ocp-v4.0-art-dev@${DIGEST}`, {
        release: RELEASE,
        component: 'a',
      }),
      image('related', `registry.redhat.io/odf4/x@${DIGEST}`),
      image('additional', 'quay.io/openshifttest/hello:1'),
      image('catalog', 'registry.redhat.io/redhat/redhat-operator-index:v4.18'),
    );

    expect(byDigest.release).toEqual([
      {
        source: 'quay.io/openshift-release-dev/ocp-release',
        mirrors: ['mirror:5000/ocp/openshift/release-images'],
      },
      {
        source: 'quay.io/openshift-release-dev/ocp-v4.0-art-dev',
        mirrors: ['mirror:5000/ocp/openshift/release'],
      },
    ]);
    expect(byDigest.operator).toEqual([
      { source: 'registry.redhat.io/odf4', mirrors: ['mirror:5000/ocp/odf4'] },
    ]);
    expect(byTag.generic).toEqual([
      { source: 'quay.io/openshifttest', mirrors: ['mirror:5000/ocp/openshifttest'] },
    ]);
    expect(byTag.operator).toEqual([]);
  });

  test('never sends a whole registry to the mirror', () => {
    const { byTag } = rulesOf(image('additional', 'quay.io/busybox:1'));

    expect(byTag.generic).toEqual([
      { source: 'quay.io/busybox', mirrors: ['mirror:5000/ocp/busybox'] },
    ]);
  });
});
