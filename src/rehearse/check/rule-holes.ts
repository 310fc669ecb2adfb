import { type Reference, repositoryName } from '../../oci/reference.ts';
import { hostOf } from '../../oci/registries/location.ts';
import type { RegistryRule } from '../../oci/registries/model.ts';
import type { WantedImage } from '../images/wanted-image.ts';
import { formatRule, setFilesOf } from '../node/mirror-rules.ts';
import type { NodeConfig } from '../node/node-config.ts';
import { ruleCommand } from './commands.ts';
import { type Hole, makeHole } from './hole.ts';

/** Whether nodes would ask by digest or by tag. */
const pullsOf = ({ digest }: Reference) => (digest === undefined ? 'tag' : 'digest');

/** The mirror that most rules lead to: where a new rule should lead, too. */
function usualMirror({ conf }: NodeConfig): string {
  const counts = new Map<string, number>();
  for (const { location } of conf.registries.flatMap((rule) => rule.mirrors)) {
    const host = hostOf(location);
    counts.set(host, (counts.get(host) ?? 0) + 1);
  }
  const [best] = [...counts].toSorted(([, a], [, b]) => b - a);
  return best?.[0] ?? 'MIRROR';
}

/** No rule covers the image: a node asks upstream only. */
export function missingRule(config: NodeConfig, image: WantedImage): Hole {
  const { reference } = image;
  const name = repositoryName(reference);
  const source = name.slice(0, name.lastIndexOf('/'));
  const host = usualMirror(config);
  const mirror = `${host}${source.slice(reference.registry.length)}`;
  const rules = config.origins.rules.join(', ') || 'the mirror rules';
  const isOperand = image.kind === 'related' || image.kind === 'bundle';
  const target = `${host}/${reference.repository}${tailOf(reference)}`;
  return makeHole(
    isOperand ? 'operand-rule-missing' : 'rule-missing',
    { source, mirror, rules },
    {
      key: source,
      commands: [
        ruleCommand(pullsOf(reference), source, mirror),
        `atoll mirror copy docker://${image.name} docker://${target}`,
      ],
      evidence: `${image.name} would be asked of ${reference.registry}`,
      image,
    },
  );
}

const tailOf = ({ tag, digest }: Reference) => (digest ? `@${digest}` : `:${tag ?? 'latest'}`);

/** A rule covers the image, but its mirrors are only for the other kind of pull. */
export function wrongPull(image: WantedImage, rule: RegistryRule): Hole {
  const pulls = pullsOf(image.reference);
  const mirror = rule.mirrors[0]?.location ?? 'MIRROR';
  return makeHole(
    pulls === 'tag' ? 'tag-under-digest-rule' : 'digest-under-tag-rule',
    { source: rule.prefix },
    {
      key: rule.prefix,
      rule: formatRule(rule),
      commands: [ruleCommand(pulls, rule.prefix, mirror)],
      evidence: `${image.name} would be asked of ${image.reference.registry}, not of ${mirror}`,
      image,
    },
  );
}

export function blockedWithoutMirror(image: WantedImage, rule: RegistryRule): Hole {
  const { prefix: source } = rule;
  return makeHole(
    'blocked-without-mirror',
    { source },
    {
      key: source,
      rule: formatRule(rule),
      commands: [ruleCommand(pullsOf(image.reference), source, 'MIRROR/PATH')],
      evidence: `${image.name}: nothing is left to ask`,
      image,
    },
  );
}

/** A rule leads to mirrors that other rules block. */
export function blockedMirrors(
  image: WantedImage,
  rule: RegistryRule,
  mirrors: readonly string[],
): Hole {
  const evidence = `${image.name}: ${mirrors.join(', ')} may not be contacted`;
  const seen = { key: rule.prefix, rule: formatRule(rule), evidence, image };
  return makeHole('mirrors-blocked', { source: rule.prefix }, seen);
}

/** The nodes have a rule, but the bootstrap machine boots with the install-config alone. */
export function missingOnBootstrap(image: WantedImage, rule: RegistryRule | undefined): Hole {
  const source = repositoryName(image.reference);
  const mirror = rule?.mirrors[0]?.location ?? 'MIRROR/PATH';
  const evidence = 'Mirror sets among the manifests reach the nodes only after the bootstrap';
  const values = { source, mirror, prefix: rule?.prefix ?? source };
  return makeHole('rule-missing-on-bootstrap', values, { key: source, evidence, image });
}

/** The bootstrap machine has a rule, but it leads elsewhere than that of the nodes. */
export function strayOnBootstrap(
  image: WantedImage,
  asked: readonly Reference[],
  where: Reference,
): Hole {
  const source = repositoryName(image.reference);
  const places = asked.map(repositoryName).join(', ');
  const found = repositoryName(where);
  const evidence = `${places} does not serve it; nodes find it at ${found}`;
  const seen = { key: `${source} ${places}`, evidence, image };
  return makeHole('rule-astray-on-bootstrap', { source, places, found }, seen);
}

/** A source that nothing keeps nodes from: the site leaks, or installs what nobody mirrored. */
export function reachableUpstream(
  host: string,
  rules: readonly RegistryRule[],
  evidence: string,
): Hole {
  const files = setFilesOf(rules);
  const rulesFrom = (files.length > 0 ? files : ['MIRROR_SETS'])
    .map((file) => `--rules-from ${file}`)
    .join(' ');
  const rule = rules.map(formatRule).join('; ') || `No rule names ${host}`;
  return makeHole('upstream-reachable', { host, rulesFrom }, { key: host, rule, evidence });
}

export function proxiedUpstream(host: string, proxy: string): Hole {
  const evidence = `${proxy} was not asked: a rehearsal contacts no upstream`;
  return makeHole('upstream-behind-proxy', { host }, { key: host, evidence });
}
