import * as z from 'zod';
import { AtollError } from '../../../../core/errors.ts';
import { toYaml } from '../../../../core/yaml.ts';
import { hostsFile, upstreamHosts } from '../../../../generate/hosts-file.ts';
import { migrateMirrorSets, type NamedRules } from '../../../../generate/mirror-set-migration.ts';
import { registriesConf } from '../../../../generate/registries-conf.ts';
import type { SiteInputs } from '../../../../site/inputs.ts';
import { pair } from '../flag-files.ts';
import { choice, many, manyTexts, text } from '../flags.ts';
import { renderTarget } from '../target.ts';
import { mirrorSetFile, RULE_FLAGS, type RuleSets, rulesOf, siteRules } from './rules.ts';

async function allRules(inputs: SiteInputs, given: ReadonlySet<string>) {
  const { rules, tagRules = [] } = await inputs.registriesConf();
  return siteRules(inputs, given, { rules, tagRules });
}

export const registriesConfTarget = renderTarget({
  name: 'registries-conf',
  summary: 'registries.conf for nodes, podman and skopeo',
  schema: z.object({
    ...RULE_FLAGS,
    block: manyTexts(
      'HOST[/PATH]',
      'Never pull from there, only from its mirrors: proves that nothing leaks',
    ),
    insecure: manyTexts('HOST', 'Host with plain HTTP or an unverified certificate'),
    search: manyTexts('HOST', 'Where short names are looked up'),
  }),
  examples: {
    'atoll render registries-conf --mirror mirror.example:5000': 'the release from the mirror',
    'atoll render registries-conf --rules-from idms.yaml --block quay.io --to registries.conf':
      'all rules of a mirror set, and quay.io blocked',
  },
  fromSite: async (inputs, given) => {
    const { blocked = [] } = await inputs.registriesConf();
    return { ...(await allRules(inputs, given)), block: [...blocked] };
  },
  make: (options) =>
    registriesConf({
      ...rulesOf(options),
      blocked: options.block,
      insecure: options.insecure,
      unqualifiedSearch: options.search,
    }),
});

export const mirrorSetsTarget = renderTarget({
  name: 'mirror-sets',
  summary: 'ImageDigestMirrorSet and ImageTagMirrorSet, or ICSP for old releases',
  schema: z.object({
    ...RULE_FLAGS,
    kind: choice(
      'KIND',
      ['idms', 'icsp'],
      'Objects of today, or ImageContentSourcePolicy for releases before 4.13',
    ).default('idms'),
    name: text('NAME', 'Name of the objects').default('mirror'),
    migrate: many(
      'FILE',
      'Objects to turn into the other kind, keeping their names',
      mirrorSetFile,
    ),
  }),
  examples: {
    'atoll render mirror-sets --mirror mirror.example:5000/ocp': 'for the release',
    'atoll render mirror-sets --migrate icsp.yaml': 'from ICSP to IDMS, as "oc adm migrate icsp"',
    'atoll render mirror-sets --kind icsp --migrate idms.yaml': 'and back, for an old cluster',
  },
  fromSite: allRules,
  make: (options, ctx) => {
    const sets = [...options.migrate.flat(), ...named(options.name, rulesOf(options))];
    if (sets.length === 0) throw nothingToSay();
    const { objects, warnings } = migrateMirrorSets(sets, options.kind);
    for (const message of warnings) ctx.emit({ type: 'warning.raised', message });
    return toYaml(...objects);
  },
});

function named(name: string, { rules, tagRules }: RuleSets): NamedRules[] {
  return [
    ...(rules.length > 0 ? [{ name, pulls: 'digest' as const, rules }] : []),
    ...(tagRules.length > 0 ? [{ name, pulls: 'tag' as const, rules: tagRules }] : []),
  ];
}

function nothingToSay(): AtollError {
  return new AtollError('USAGE', 'Cannot write mirror sets: no rule was given', {
    hint: 'Use "--mirror", "--rule", "--tag-rule", "--rules-from" or "--migrate"',
  });
}

export const hostsTarget = renderTarget({
  name: 'hosts',
  summary: '/etc/hosts with upstream names that lead to the bastion',
  schema: z.object({
    ...RULE_FLAGS,
    host: many('ADDRESS=NAME[,NAME…]', 'Names of an address', pair('host')),
    upstreamsAt: text(
      'ADDRESS',
      'Point the upstream names of the rules at this address',
    ).optional(),
  }),
  examples: {
    'atoll render hosts --upstreams-at 10.0.10.10 --mirror mirror.example:5000':
      'quay.io leads to the bastion',
    'atoll render hosts --host 10.0.10.10=mirror.example,bastion.example': 'only these names',
  },
  fromSite: allRules,
  make: (options) => {
    const { rules, tagRules } = rulesOf(options);
    const hosts = options.host.map(([address, names]) => ({ address, names: names.split(',') }));
    const { upstreamsAt } = options;
    const upstreams = upstreamsAt ? [upstreamHosts([...rules, ...tagRules], upstreamsAt)] : [];
    return hostsFile([...hosts, ...upstreams]);
  },
});
