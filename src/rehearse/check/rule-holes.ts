import { type Reference, repositoryName } from '../../oci/reference.ts';
import { hostOf } from '../../oci/registries/location.ts';
import type { RegistryRule } from '../../oci/registries/model.ts';
import type { WantedImage } from '../images/wanted-image.ts';
import { formatRule, setFilesOf } from '../node/mirror-rules.ts';
import type { NodeConfig } from '../node/node-config.ts';
import { ruleCommand } from './commands.ts';
import type { Hole } from './hole.ts';

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

/** No rule covers the image: a node asks upstream, and nobody else. */
export function missingRule(config: NodeConfig, image: WantedImage): Hole {
  const source = repositoryName(image.reference);
  const parent = source.slice(0, source.lastIndexOf('/'));
  const operand = image.kind === 'related' || image.kind === 'bundle';
  const mirror = usualMirror(config);
  const path = parent.slice(image.reference.registry.length);
  const target = `${mirror}/${image.reference.repository}`;
  return {
    cause: operand ? 'operand-unmirrored' : 'rule-missing',
    severity: 'hole',
    key: parent,
    title: `No mirror rule covers ${parent}`,
    rule: `${parent} → ${mirror}${path} (missing from ${config.origins.rules.join(', ') || 'the mirror rules'})`,
    commands: [
      ruleCommand(pullsOf(image.reference), parent, `${mirror}${path}`),
      `atoll mirror copy docker://${image.name} docker://${target}${tailOf(image.reference)}`,
    ],
    evidence: `${image.name} would be asked of ${image.reference.registry}`,
    image,
  };
}

const tailOf = ({ tag, digest }: Reference) => (digest ? `@${digest}` : `:${tag ?? 'latest'}`);

/** A rule covers the image, but its mirrors are only for the other kind of pull. */
export function wrongPull(image: WantedImage, rule: RegistryRule): Hole {
  const pulls = pullsOf(image.reference);
  const mirror = rule.mirrors[0]?.location ?? 'MIRROR';
  return {
    cause: pulls === 'tag' ? 'tag-under-digest-rule' : 'digest-under-tag-rule',
    severity: 'hole',
    key: rule.prefix,
    title:
      pulls === 'tag'
        ? `Images of ${rule.prefix} are pulled by tag, and its mirrors serve only digests`
        : `Images of ${rule.prefix} are pulled by digest, and its mirrors serve only tags`,
    rule: formatRule(rule),
    commands: [ruleCommand(pulls, rule.prefix, mirror)],
    evidence: `${image.name} would be asked of ${image.reference.registry}, not of ${mirror}`,
    image,
  };
}

export function blockedWithoutMirror(image: WantedImage, rule: RegistryRule): Hole {
  return {
    cause: 'blocked-without-mirror',
    severity: 'hole',
    key: rule.prefix,
    title: `${rule.prefix} is blocked and has no mirror`,
    rule: formatRule(rule),
    commands: [ruleCommand(pullsOf(image.reference), rule.prefix, 'MIRROR/PATH')],
    evidence: `${image.name}: nothing is left to ask`,
    image,
  };
}

/** A rule leads to mirrors that other rules block. */
export function blockedMirrors(
  image: WantedImage,
  rule: RegistryRule,
  mirrors: readonly string[],
): Hole {
  return {
    cause: 'blocked-without-mirror',
    severity: 'hole',
    key: rule.prefix,
    title: `Every mirror of ${rule.prefix} is blocked itself`,
    rule: formatRule(rule),
    commands: ['atoll render registries-conf --rules-from MIRROR_SETS --to registries.conf'],
    evidence: `${image.name}: ${mirrors.join(', ')} may not be contacted`,
    image,
  };
}

/** The nodes have a rule, but the bootstrap machine boots with the install-config alone. */
export function missingOnBootstrap(image: WantedImage, rule: RegistryRule | undefined): Hole {
  const source = repositoryName(image.reference);
  const mirror = rule?.mirrors[0]?.location ?? 'MIRROR/PATH';
  return {
    cause: 'rule-missing-on-bootstrap',
    severity: 'hole',
    key: source,
    title: `The bootstrap machine has no mirror rule for ${source}`,
    rule: `imageDigestSources of the install-config: ${rule?.prefix ?? source} → ${mirror}`,
    commands: [
      `atoll render install-config --rule ${rule?.prefix ?? source}=${mirror} OTHER_FLAGS --to install-config.yaml`,
    ],
    evidence: 'Mirror sets among the manifests reach the nodes only after the bootstrap',
    image,
  };
}

/** The bootstrap machine has a rule, but it leads elsewhere than that of the nodes. */
export function strayOnBootstrap(
  image: WantedImage,
  asked: readonly Reference[],
  found: Reference,
): Hole {
  const source = repositoryName(image.reference);
  const places = asked.map(repositoryName).join(', ');
  return {
    cause: 'rule-missing-on-bootstrap',
    severity: 'hole',
    key: `${source} ${places}`,
    title: `The bootstrap machine looks for ${source} where it is not`,
    rule: `imageDigestSources of the install-config: ${source} → ${places}`,
    commands: [
      `atoll render install-config --rule ${source}=${repositoryName(found)} OTHER_FLAGS --to install-config.yaml`,
    ],
    evidence: `${places} does not serve it; nodes find it at ${repositoryName(found)}`,
    image,
  };
}

/** A source that nothing keeps nodes from: the site leaks, or installs what nobody mirrored. */
export function reachableUpstream(host: string, rules: readonly RegistryRule[], how: string): Hole {
  return {
    cause: 'upstream-reachable',
    severity: 'hole',
    key: host,
    title: `Nodes can reach ${host}, and no rule blocks it`,
    rule: rules.map(formatRule).join('; ') || `No rule names ${host}`,
    commands: [
      `atoll render mirror-sets ${rulesFrom(rules)} --never-contact-source --to mirror-sets.yaml`,
      `atoll render registries-conf ${rulesFrom(rules)} --block ${host} --to registries.conf`,
    ],
    evidence: how,
  };
}

function rulesFrom(rules: readonly RegistryRule[]): string {
  const files = setFilesOf(rules);
  return (files.length > 0 ? files : ['MIRROR_SETS'])
    .map((file) => `--rules-from ${file}`)
    .join(' ');
}

export function proxiedUpstream(host: string, proxy: string): Hole {
  return {
    cause: 'upstream-behind-proxy',
    severity: 'warning',
    key: host,
    title: `Nodes may reach ${host} through the proxy of the cluster`,
    rule: 'proxy in the install-config, and no rule that blocks the source',
    commands: [
      'atoll render mirror-sets --rules-from MIRROR_SETS --never-contact-source --to mirror-sets.yaml',
    ],
    evidence: `${proxy} was not asked: a rehearsal contacts no upstream`,
  };
}
