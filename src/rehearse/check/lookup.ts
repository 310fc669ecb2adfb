import { type Endpoint, pullEndpoints } from '../../remote/registries-conf.ts';
import type { RegistryRule } from '../../remote/registries-conf-parse.ts';
import type { WantedImage } from '../images/wanted-image.ts';
import { formatRule, ruleOf } from '../node/mirror-rules.ts';
import type { RehearsalNode } from '../node/open-node.ts';
import type { Hole } from './hole.ts';
import { blockedWithoutMirror, missingOnBootstrap, missingRule, wrongPull } from './rule-holes.ts';

/** Where nodes look for one image, by the rules alone. */
export interface Route {
  /** Endpoints inside the site, in order; empty when the rules lead nowhere there. */
  readonly endpoints: readonly Endpoint[];
  /** Upstream host that nodes ask when these fail; undefined when it is blocked or there is none. */
  readonly openSource: string | undefined;
  readonly rule: RegistryRule | undefined;
  /** The rule in words. */
  readonly shown: string;
  readonly holes: readonly Hole[];
}

/** Follows the rules for one image. Nothing is asked of anybody. */
export function routeOf(node: RehearsalNode, image: WantedImage, allowUpstream: boolean): Route {
  const { config, inside } = node;
  const location = `${image.reference.registry}/${image.reference.repository}`;
  const rule = ruleOf(config.conf, location);
  const { endpoints: all, blocked } = pullEndpoints(config.conf, image.reference);
  const isInside = ({ mirror, reference }: Endpoint) => mirror || inside.has(reference.registry);
  const source = all.find((endpoint) => !isInside(endpoint));
  const endpoints = allowUpstream ? all : all.filter(isInside);
  const shown = rule ? formatRule(rule) : `none: ${image.reference.registry} is a mirror itself`;
  const nowhere = endpoints.length === 0 ? [deadEnd(node, image, rule, blocked)] : [];
  return {
    endpoints,
    openSource: source?.reference.registry,
    rule,
    shown,
    holes: [...nowhere, ...bootstrapHoles(node, image, rule, location)],
  };
}

function deadEnd(
  { config }: RehearsalNode,
  image: WantedImage,
  rule: RegistryRule | undefined,
  blocked: boolean,
): Hole {
  if (rule && rule.mirrors.length > 0) return wrongPull(image, rule);
  return rule && blocked ? blockedWithoutMirror(image, rule) : missingRule(config, image);
}

function bootstrapHoles(
  { config, inside }: RehearsalNode,
  image: WantedImage,
  rule: RegistryRule | undefined,
  location: string,
): Hole[] {
  const isPayload = image.kind === 'release' || image.kind === 'component';
  const { bootstrapConf } = config;
  if (!bootstrapConf || !isPayload || inside.has(image.reference.registry)) return [];
  return ruleOf(bootstrapConf, location) ? [] : [missingOnBootstrap(image, rule)];
}
