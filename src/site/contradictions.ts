import { nearest } from '../core/nearest.ts';
import type { InputProblem, Locate } from '../core/yaml-input.ts';
import { optionalCapabilities } from '../openshift/capabilities.ts';
import { parseReleaseVersion } from '../openshift/version.ts';
import type { SiteFile } from './schema.ts';

interface Rule {
  readonly path: readonly string[];
  readonly broken: (site: SiteFile) => boolean;
  readonly message: string;
}

/** Choices that exclude each other, which no single field shows. */
const RULES: readonly Rule[] = [
  {
    path: ['mirror', 'imageSet'],
    broken: ({ mirror }) =>
      mirror.imageSet !== undefined && (mirror.operators ?? mirror.additionalImages) !== undefined,
    message: 'an ImageSetConfiguration file and inline content exclude each other',
  },
  {
    path: ['registry', 'host'],
    broken: ({ registry }) => registry.type === 'existing' && registry.host === undefined,
    message: 'an existing registry needs its host',
  },
  {
    path: ['registry', 'authfile'],
    broken: ({ registry }) => registry.type !== 'existing' && registry.authfile !== undefined,
    message: 'the embedded registry makes its own login: only an existing one has an authfile',
  },
  {
    path: ['registry', 'storage'],
    broken: ({ registry }) => registry.type === 'existing' && registry.storage !== undefined,
    message: 'an existing registry keeps its content where it wants',
  },
  {
    path: ['mirror', 'bundle'],
    broken: ({ mirror }) => mirror.flow !== 'bundle' && mirror.bundle !== undefined,
    message: 'a bundle is made with "flow: bundle" only',
  },
  {
    path: ['proxy', 'enabled'],
    broken: ({ proxy, registry, bastion }) =>
      proxy.enabled && !(proxy.url ?? bastion.address) && registry.type === 'existing',
    message:
      'nodes reach a proxy on the bastion by the name of the mirror there; name it: proxy.url',
  },
  {
    path: ['cluster', 'disabledCapabilities'],
    broken: ({ cluster, release }) =>
      cluster.disabledCapabilities.length > 0 && release.version === undefined,
    message: 'needs release.version: every release has other capabilities',
  },
  {
    path: ['bastion', 'ami'],
    broken: ({ bastion }) => bastion.ami !== undefined && bastion.address !== undefined,
    message: 'a bastion is either made from an AMI or there already, not both',
  },
  {
    path: ['steps', 'insert'],
    broken: ({ steps }) =>
      steps.insert.some((entry) => (entry.before === undefined) === (entry.after === undefined)),
    message: 'each inserted step says either "before" or "after"',
  },
];

export function contradictions(site: SiteFile, locate: Locate): InputProblem[] {
  const broken = RULES.filter((rule) => rule.broken(site));
  return [
    ...broken.map(({ path, message }) => ({ ...locate(path), message })),
    ...unknownCapabilities(site, locate),
  ];
}

function unknownCapabilities({ cluster, release }: SiteFile, locate: Locate): InputProblem[] {
  if (release.version === undefined) return [];
  const known = optionalCapabilities(parseReleaseVersion(release.version));
  return cluster.disabledCapabilities.flatMap((name, index) => {
    if (known.includes(name)) return [];
    const close = nearest(name, known);
    return {
      ...locate(['cluster', 'disabledCapabilities', index]),
      message: `"${name}" is nothing ${release.version} can do without`,
      hint: close ? `did you mean "${close}"?` : `one of ${known.join(', ')}`,
    };
  });
}
