import { expect, test } from 'vitest';
import { digestOf } from '../../oci/digest.ts';
import { mergeFiles } from '../../oci/registries/model.ts';
import { parseRegistriesFile } from '../../oci/registries/parse.ts';
import type { ImageCheck } from '../check/image-checker.ts';
import { wantedImage } from '../images/wanted-image.ts';
import { assumptionsOf, modelInstall, parseBits } from './model.ts';
import { spreadOf } from './play-storm.ts';
import { reliefOf } from './relief.ts';
import { pullPlan } from './shares.ts';

const GIGABYTE = 1e9;

/** An image of a shared base and a layer of its own, 1 GB each. */
function image(component: string): ImageCheck {
  const blob = (seed: string) => ({
    mediaType: 'layer',
    digest: digestOf(seed),
    size: GIGABYTE,
  });
  return {
    image: wantedImage('component', `quay.io/a/b:${component}`, 'a test', { component }),
    route: {
      endpoints: [],
      bootstrap: undefined,
      openSource: undefined,
      rule: undefined,
      shown: '',
      holes: [],
    },
    found: {} as ImageCheck['found'],
    blobs: [blob('base'), blob(component)],
    holes: [],
  };
}

const CHECKS = ['rhel-coreos', 'etcd', 'console', 'monitoring'].map(image);
const HARDWARE = { nicBitsPerSecond: 8e9, diskBytesPerSecond: 1e9, firstByteMs: 1 };

test('pullPlan gives every node its share, and the rest to one of the control plane', () => {
  const plan = pullPlan(CHECKS, 5);
  const names = plan.map(({ role, nodes }) => [
    role,
    nodes.map((node) => node.images.map((check) => check.image.component)),
  ]);

  expect(names).toEqual([
    ['bootstrap', [['rhel-coreos', 'etcd']]],
    [
      'control plane',
      [
        ['rhel-coreos', 'etcd', 'console'],
        ['rhel-coreos', 'etcd', 'monitoring'],
        ['rhel-coreos', 'etcd'],
      ],
    ],
    ['worker', [['rhel-coreos'], ['rhel-coreos']]],
  ]);
});

test.each([
  [undefined, 'rhel-coreos-10'],
  ['rhel-9', 'rhel-coreos'],
  ['rhel-10', 'rhel-coreos-10'],
])(
  'pullPlan of 5.0 with the stream %s has every machine pull %s and no other system',
  (stream, system) => {
    const names = ['etcd', 'console', 'rhel-coreos', 'rhel-coreos-extensions', 'rhel-coreos-10'];
    const checks = names.map(image).map((check) => ({
      ...check,
      image: { ...check.image, release: '5.0.1' },
    }));

    const pulled = pullPlan(checks, 4, stream).flatMap(({ nodes }) =>
      nodes.map(({ images }) =>
        images.flatMap(({ image: { component = '' } }) =>
          component.includes('coreos') ? [component] : [],
        ),
      ),
    );

    expect(pulled).toEqual(Array.from({ length: 5 }, () => [system]));
  },
);

test('modelInstall counts bytes once per node on the wire and once in all on the disk', () => {
  const { phases, bytes, distinctBytes, seconds } = modelInstall(pullPlan(CHECKS, 5), HARDWARE);

  // 1 GB/s both ways: the bootstrap machine reads base, rhel-coreos and etcd.
  expect(phases.map(({ seconds: each }) => each)).toEqual([3, 11, 4]);
  expect(phases.every(({ bound }) => bound !== 'waiting for answers')).toBe(true);
  expect([bytes, distinctBytes, seconds]).toEqual([18e9, 5e9, 18]);
});

test('modelInstall names what holds it up', () => {
  const boundWith = (hardware: Partial<typeof HARDWARE>) =>
    modelInstall(pullPlan(CHECKS, 1), { ...HARDWARE, ...hardware }).phases[0]?.bound;

  expect(boundWith({ nicBitsPerSecond: 1e9 })).toBe('network of the mirror');
  expect(boundWith({ diskBytesPerSecond: 1e6 })).toBe('disk of the mirror');
  expect(boundWith({ firstByteMs: 1e6 })).toBe('waiting for answers');
});

test('assumptionsOf prints what was taken for granted', () => {
  const lines = assumptionsOf(HARDWARE, modelInstall(pullPlan(CHECKS, 5), HARDWARE));

  expect(lines.join('\n')).toContain('The mirror sends 8 Gbit/s');
  expect(lines.join('\n')).toContain('4.66 GiB stay in its memory');
});

test('parseBits reads speeds of networks as they are sold', () => {
  expect(['10G', '2.5Gbit/s', '100M', '1000'].map(parseBits)).toEqual([1e10, 2.5e9, 1e8, 1000]);
  expect(['', 'fast', '0G', '-1G'].map(parseBits)).toEqual(Array(4).fill(undefined));
});

test('spreadOf gives values that were measured, and zeros for none', () => {
  expect(spreadOf([5, 1, 3, 2, 4])).toEqual({ p50: 3, p99: 5, max: 5 });
  expect(spreadOf([])).toEqual({ p50: 0, p99: 0, max: 0 });
});

test('reliefOf says that a second mirror is for failures, and what pinning spares', () => {
  const confOf = (...mirrors: readonly string[]) => {
    const tables = mirrors.map((host) => `[[registry.mirror]]\nlocation = "${host}/ocp"\n`);
    const text = `[[registry]]\nprefix = "quay.io"\nlocation = "quay.io"\n${tables.join('')}`;
    return mergeFiles([parseRegistriesFile('registries.conf', text)]);
  };
  const plan = pullPlan(CHECKS, 3);
  const model = modelInstall(plan, HARDWARE);

  const [one] = reliefOf(confOf('a.example'), plan, model);
  const [two, pinned] = reliefOf(confOf('a.example', 'b.example:5000'), plan, model);

  expect(one).toContain('One mirror in each rule');
  expect(two).toContain('all nodes ask a.example');
  expect(two).toContain('b.example:5000 answer when it does not');
  expect(pinned).toContain('(100 %)');
});
