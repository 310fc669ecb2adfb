import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { tempDir } from '../../../test/support/temp.ts';
import { AtollError } from '../../core/errors.ts';
import { isEmptyImageSet } from './image-set.ts';
import { parseImageSet, readImageSet } from './parse-image-set.ts';

const V2 = 'apiVersion: mirror.openshift.io/v2alpha1\nkind: ImageSetConfiguration\n';
const V1 = 'apiVersion: mirror.openshift.io/v1alpha2\nkind: ImageSetConfiguration\n';

function mistakesIn(yaml: string): string[] {
  try {
    parseImageSet(yaml, 'isc.yaml');
  } catch (error) {
    if (!(error instanceof AtollError)) throw error;
    expect(error.code).toBe('INPUT_INVALID');
    return error.message.split('\n  ').slice(1);
  }
  return [];
}

describe('parseImageSet', () => {
  test('reads every field of v2alpha1', () => {
    const set = parseImageSet(
      `${V2}archiveSize: 4
mirror:
  platform:
    graph: true
    kubeVirtContainer: true
    channels:
    - {name: stable-4.18, type: ocp, minVersion: 4.18.1, maxVersion: 4.18.2, shortestPath: true}
    - {name: 4-stable, type: okd, full: true}
    platforms:
    - {os: linux, architecture: amd64}
  operators:
  - catalog: registry.redhat.io/redhat/redhat-operator-index:v4.18
    targetCatalog: my/index
    targetTag: v1
    targetCatalogSourceTemplate: cs.yaml
    skipDependencies: true
    platforms: [{os: linux, architecture: arm64}]
    packages:
    - name: odf-operator
      defaultChannel: stable-4.18
      channels:
      - {name: stable-4.18, minVersion: 4.18.0, maxVersion: "4.18"}
    - {name: quay-operator, minVersion: 3.12.1}
  - {catalog: "oci:///srv/catalog", full: true}
  additionalImages:
  - {name: "quay.io/openshifttest/helm:3.17.0", targetRepo: tools/helm, targetTag: v3}
  - {name: "oci:///srv/image"}
  blockedImages:
  - {name: '(?i)QUAY\\.io/.*helm'}
  helm:
    repositories:
    - name: podinfo
      url: https://stefanprodan.github.io/podinfo
      charts: [{name: podinfo, version: 5.0.0, imagePaths: ["{.spec.image}"]}]
    local:
    - {name: own, path: /srv/own.tgz}
`,
      'isc.yaml',
    );

    expect(set).toMatchObject({
      purpose: 'mirror',
      apiVersion: 'v2alpha1',
      archiveSizeBytes: 4 * 1024 ** 3,
      warnings: [],
      platform: {
        graph: true,
        kubeVirtContainer: true,
        architectures: ['multi'],
        platforms: [{ os: 'linux', architecture: 'amd64' }],
        channels: [
          { name: 'stable-4.18', type: 'ocp', minVersion: '4.18.1', shortestPath: true },
          { name: '4-stable', type: 'okd', full: true },
        ],
      },
      operators: [
        {
          targetCatalog: 'my/index',
          skipDependencies: true,
          packages: [
            { name: 'odf-operator', channels: [{ name: 'stable-4.18', maxVersion: '4.18' }] },
            { name: 'quay-operator', minVersion: '3.12.1', channels: [] },
          ],
        },
        { origin: { kind: 'layout', path: '/srv/catalog' }, full: true },
      ],
      helm: {
        repositories: [{ charts: [{ version: '5.0.0' }] }],
        local: [{ path: '/srv/own.tgz' }],
      },
    });
    expect(set.platform?.channels[1]?.minVersion).toBeUndefined();
    expect(set.operators[0]?.origin).toMatchObject({
      kind: 'registry',
      reference: { repository: 'redhat/redhat-operator-index', tag: 'v4.18' },
    });
    expect(set.blockedImages[0]?.pattern.test('quay.io/a/helm:1')).toBe(true);
  });

  test('fills in the defaults', () => {
    const set = parseImageSet(
      `${V2}mirror:\n  platform:\n    channels: [{name: stable-4.18}]\n`,
      'f',
    );

    expect(set.platform).toEqual({
      graph: false,
      channels: [
        {
          name: 'stable-4.18',
          type: 'ocp',
          minVersion: undefined,
          maxVersion: undefined,
          shortestPath: false,
          full: false,
        },
      ],
      architectures: ['amd64'],
      platforms: undefined,
      release: undefined,
      kubeVirtContainer: false,
    });
    expect(set.archiveSizeBytes).toBeUndefined();
    expect(isEmptyImageSet(set)).toBe(false);
  });

  test('translates the fields only v1alpha2 has, and says so', () => {
    const set = parseImageSet(
      `${V1}storageConfig:
  registry: {imageURL: "reg.example/meta:1", skipTLS: true}
mirror:
  operators:
  - catalog: registry.redhat.io/redhat/redhat-operator-index:v4.18
    targetName: slim
    packages: [{name: odf-operator, channels: [{name: stable, minBundle: odf.v4.18.0}]}]
  - catalog: oci:///srv/catalog
    originalRef: registry.redhat.io/redhat/certified-operator-index:v4.17
`,
      'isc.yaml',
    );

    expect(set.operators).toMatchObject([
      {
        targetCatalog: 'redhat/slim',
        targetTag: undefined,
        packages: [{ channels: [{ minBundle: 'odf.v4.18.0' }] }],
      },
      { targetCatalog: 'redhat/certified-operator-index', targetTag: 'v4.17' },
    ]);
    expect(set.warnings.map(({ line, message }) => `${line}: ${message}`)).toEqual([
      '3: storageConfig is not used: no metadata is kept between runs',
      '8: targetName is old',
      '11: originalRef is old',
    ]);
  });

  test('reports every mistake at once, with its place and what was meant', () => {
    const found = mistakesIn(`${V2}mirror:
  platfrom: {}
  platform:
    graph: yes
    architectures: [x86_64, amd46]
    channels:
    - name: stable-4.18
      minVersion: 4.18
      maxVersion: 4.18.z
      typ: ocp
    - {minVersion: 4.18.9, maxVersion: 4.18.1}
  operators: {}
  additionalImages:
  - name: helm:3
  - name: quay.io/a/b
  blockedImages: [{name: "("}]
`);

    expect(found).toEqual([
      'isc.yaml:4:3: unknown field "platfrom" (did you mean "platform"?)',
      'isc.yaml:6:12: mirror.platform.graph: expected true or false, found the text "yes"',
      'isc.yaml:7:21: "x86_64" is none of amd64, arm64, ppc64le, s390x, multi (did you mean "amd64"?)',
      'isc.yaml:7:29: "amd46" is none of amd64, arm64, ppc64le, s390x, multi (did you mean "amd64"?)',
      'isc.yaml:10:19: mirror.platform.channels.0.minVersion: expected text, found the number 4.18 (write "4.18", in quotes)',
      'isc.yaml:11:19: "4.18.z" is not a release version (write all three numbers, such as 4.18.1)',
      'isc.yaml:12:7: unknown field "typ" (did you mean "type"?)',
      'isc.yaml:13:7: "name" is missing',
      'isc.yaml:13:8: minVersion 4.18.9 is above maxVersion 4.18.1',
      'isc.yaml:14:14: mirror.operators: expected a list, found a mapping',
      'isc.yaml:16:11: "helm:3" has no registry host (name the registry, such as "docker.io/library/busybox:1.37")',
      'isc.yaml:17:11: "quay.io/a/b" has neither tag nor digest (add one, such as ":v4.18")',
      'isc.yaml:18:26: "(" is not a regular expression',
    ]);
  });

  test.each([
    [
      'a duplicate key',
      'mirror:\n  platform: {graph: true}\n  platform: {}\n',
      /5:3: this key is here twice/,
    ],
    ['broken YAML', 'mirror: {platform: [}\n', /3:\d+: /],
    ['two documents', 'mirror: {platform: {graph: true}}\n---\na: 1\n', /5:1: a second document/],
    [
      'a delete stanza',
      'delete: {}\n',
      /unknown field "delete" \(a document with "delete" has another kind/,
    ],
    ['nothing asked for', 'mirror: {}\n', /"mirror" asks for nothing/],
    [
      'a misspelled field, and not that nothing is asked for',
      'mirror: {platfrom: {graph: true}}\n',
      /^isc.yaml:3:10: unknown field "platfrom" \(did you mean "platform"\?\)$/,
    ],
    ['no stanza at all', '', /"mirror" is missing/],
    ['a v1 field', 'storageConfig: {}\nmirror: {platform: {graph: true}}\n', /belongs to v1alpha2/],
    [
      'two ways to choose platforms',
      'mirror: {platform: {architectures: [amd64], platforms: [{os: linux, architecture: amd64}]}}\n',
      /"architectures" and "platforms" exclude each other/,
    ],
    [
      'a platform without os',
      'mirror: {platform: {platforms: [{architecture: amd64}]}}\n',
      /"os" is missing/,
    ],
    [
      'full and shortestPath',
      'mirror: {platform: {channels: [{name: a, full: true, shortestPath: true}]}}\n',
      /exclude each other/,
    ],
    [
      'a channel twice',
      'mirror:\n  platform:\n    channels:\n    - {name: a}\n    - {name: a}\n',
      /7:7: "a" is listed twice, first on line 6/,
    ],
    [
      'a catalog twice with one target',
      'mirror: {operators: [{catalog: "r.io/a:1"}, {catalog: "r.io/a:1"}]}\n',
      /the catalog "r.io\/a:1" with the same target is listed twice/,
    ],
    [
      'a package twice',
      'mirror: {operators: [{catalog: "r.io/a:1", packages: [{name: p}, {name: p}]}]}\n',
      /"p" is listed twice/,
    ],
    [
      'bounds on package and channel',
      'mirror: {operators: [{catalog: "r.io/a:1", packages: [{name: p, minVersion: 1.0.0, channels: [{name: c, maxVersion: 2.0.0}]}]}]}\n',
      /both the package and "c" have bounds/,
    ],
    [
      'full with a range',
      'mirror: {operators: [{catalog: "r.io/a:1", full: true, packages: [{name: p, minVersion: 1.0.0}]}]}\n',
      /"full" and the version bounds of "p"/,
    ],
    [
      'a default channel that is not listed',
      'mirror: {operators: [{catalog: "r.io/a:1", packages: [{name: p, defaultChannel: stabel, channels: [{name: stable}]}]}]}\n',
      /"stabel" is not among the channels \(did you mean "stable"\?/,
    ],
    [
      'a selected bundle',
      'mirror: {operators: [{catalog: "r.io/a:1", packages: [{name: p, bundles: [{name: b}]}]}]}\n',
      /unknown field "bundles" \(bundles cannot be selected by name/,
    ],
    [
      'minBundle in v2',
      'mirror: {operators: [{catalog: "r.io/a:1", packages: [{name: p, minBundle: b}]}]}\n',
      /"minBundle" \(it belongs to v1alpha2; write minVersion/,
    ],
    [
      'a target with a tag',
      'mirror: {operators: [{catalog: "r.io/a:1", targetCatalog: "a/b:1"}]}\n',
      /"a\/b:1" is not a repository path/,
    ],
    [
      'a relative layout',
      'mirror: {operators: [{catalog: "oci://a/b"}]}\n',
      /not an absolute path/,
    ],
    ['a negative size', 'archiveSize: -1\nmirror: {platform: {graph: true}}\n', /whole number/],
    [
      'a helm repository without URL',
      'mirror: {helm: {repositories: [{name: a}]}}\n',
      /"url" is missing/,
    ],
  ])('refuses %s', (_, yaml, expected) => {
    expect(mistakesIn(V2 + yaml).join('\n')).toMatch(expected);
  });

  test('explains the fields that only v2alpha1 has', () => {
    const yaml = `${V1}mirror: {platform: {release: "quay.io/a/b:1"}, additionalImages: [{name: "quay.io/a/b:1", targetRepo: c}]}\n`;

    expect(mistakesIn(yaml)).toEqual([
      expect.stringMatching(/"release" \(it belongs to apiVersion mirror.openshift.io\/v2alpha1/),
      expect.stringMatching(/"targetRepo" \(it belongs to/),
    ]);
  });

  test('names apiVersion and kind that were meant', () => {
    const yaml =
      'apiVersion: mirror.openshift.io/v2alpha11\nkind: ImageSetConfigration\nmirror: {platform: {graph: true}}\n';

    expect(mistakesIn(yaml)).toEqual([
      expect.stringContaining('did you mean "mirror.openshift.io/v2alpha1"?'),
      expect.stringContaining('did you mean "ImageSetConfiguration"?'),
    ]);
    expect(mistakesIn('mirror: {platform: {graph: true}}')).toHaveLength(2);
  });

  test('reads a DeleteImageSetConfiguration, which cannot block', () => {
    const head = 'apiVersion: mirror.openshift.io/v2alpha1\nkind: DeleteImageSetConfiguration\n';

    const set = parseImageSet(
      `${head}delete: {additionalImages: [{name: "quay.io/a/b:1"}]}\n`,
      'd',
    );

    expect(set).toMatchObject({ purpose: 'delete', additionalImages: [{ name: 'quay.io/a/b:1' }] });
    expect(mistakesIn(`${head}mirror: {}\n`).join()).toMatch(/"delete" is missing/);
    expect(mistakesIn(`${head}delete: {blockedImages: [{name: a}]}\n`).join()).toMatch(
      /leave it out/,
    );
    expect(
      mistakesIn(
        `${head.replace('v2alpha1', 'v1alpha2')}delete: {platform: {graph: true}}\n`,
      ).join(),
    ).toMatch(/has apiVersion mirror.openshift.io\/v2alpha1/);
  });

  test('follows anchors and takes a key without value for absent', () => {
    const set = parseImageSet(
      `${V2}mirror:
  operators:
  - &one {catalog: "r.io/a:1", packages: }
  - {catalog: "r.io/b:1", packages: &p [{name: x}]}
  - {catalog: "r.io/c:1", packages: *p}
`,
      'f',
    );

    expect(set.operators.map(({ packages }) => packages.length)).toEqual([0, 1, 1]);
  });

  test('warns of what is accepted but does nothing', () => {
    const set = parseImageSet(
      `${V2}mirror:
  platform: {release: "quay.io/a/b:1", channels: [{name: stable-4.18, shortestPath: true}]}
  samples: [{name: ruby}]
`,
      'f',
    );

    expect(set.platform?.release).toMatchObject({ repository: 'a/b', tag: '1' });
    expect(set.warnings.map(({ message }) => message)).toEqual([
      expect.stringContaining('there is no path to take'),
      expect.stringContaining('the channels are not looked at'),
      expect.stringContaining('"samples" is not carried out'),
    ]);
  });
});

test('readImageSet names the file it cannot use', async () => {
  const path = join(await tempDir(), 'isc.yaml');
  await writeFile(path, `${V2}mirror: 7\n`);

  await expect(readImageSet(path)).rejects.toMatchObject({
    code: 'INPUT_INVALID',
    details: { file: path, line: 3, column: 9 },
  });
  await expect(readImageSet(`${path}x`)).rejects.toMatchObject({ code: 'FILE_UNREADABLE' });
});

describe('parseImageSet, given anything', () => {
  const usable = (yaml: string): boolean => {
    try {
      parseImageSet(yaml, 'any.yaml');
      return true;
    } catch (error) {
      return error instanceof AtollError;
    }
  };

  test('answers or explains, whatever the text', () => {
    fc.assert(fc.property(fc.string(), (body) => usable(body) && usable(V2 + body)));
  });

  test('answers or explains, whatever stands in the fields', () => {
    const fields = fc.dictionary(
      fc.constantFrom('platform', 'operators', 'additionalImages', 'helm', 'blockedImages', 'name'),
      fc.jsonValue(),
    );
    fc.assert(fc.property(fields, (mirror) => usable(`${V2}mirror: ${JSON.stringify(mirror)}`)));
  });

  test.each(['? {a: b}\n: c\n', 'mirror: &a [*a]\n', 'mirror: *missing\n', '- a\n', 'text', '\t'])(
    'explains %j',
    (body) => {
      expect(mistakesIn(body)).not.toEqual([]);
      expect(usable(V2 + body)).toBe(true);
    },
  );
});
