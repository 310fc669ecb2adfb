import { repositoryName } from '../../oci/reference.ts';
import {
  type PullEndpoint,
  type PullEndpoints,
  pullEndpoints,
  ruleFor,
} from '../../oci/registries/match.ts';
import type { RegistryRule } from '../../oci/registries/model.ts';
import type { WantedImage } from '../images/wanted-image.ts';
import { formatRule } from '../node/mirror-rules.ts';
import type { RehearsalNode } from '../node/open-node.ts';
import type { Hole } from './hole.ts';
import {
  blockedMirrors,
  blockedWithoutMirror,
  missingOnBootstrap,
  missingRule,
  wrongPull,
} from './rule-holes.ts';

/** Where nodes look for one image, by the rules alone. */
export interface PullRoute {
  /** Endpoints inside the site, in order; empty when the rules lead nowhere there. */
  readonly endpoints: readonly PullEndpoint[];
  /** The same for the bootstrap machine, where it pulls the image and has rules of its own. */
  readonly bootstrap: readonly PullEndpoint[] | undefined;
  /** Upstream host that nodes ask when these fail; undefined when it is blocked or there is none. */
  readonly openSource: string | undefined;
  readonly rule: RegistryRule | undefined;
  /** The rule in words. */
  readonly shown: string;
  readonly holes: readonly Hole[];
}

/** Follows the rules for one image. Nothing is asked of anybody. */
export function routeOf(
  node: RehearsalNode,
  image: WantedImage,
  allowUpstream: boolean,
): PullRoute {
  const { config, inside } = node;
  const rule = ruleFor(config.conf, repositoryName(image.reference));
  const pull = pullEndpoints(config.conf, image.reference);
  const { endpoints: all } = pull;
  const isInside = ({ mirror, reference }: PullEndpoint) =>
    mirror || inside.has(reference.registry);
  const source = all.find((endpoint) => !isInside(endpoint));
  const endpoints = allowUpstream ? all : all.filter(isInside);
  const shown = rule ? formatRule(rule) : `none: ${image.reference.registry} is a mirror itself`;
  const nowhere = endpoints.length === 0 ? [deadEnd(node, image, rule, pull)] : [];
  const bootstrap = allowUpstream ? undefined : bootstrapEndpoints(node, image)?.filter(isInside);
  const lost = bootstrap?.length === 0 ? [missingOnBootstrap(image, rule)] : [];
  return {
    endpoints,
    bootstrap,
    openSource: source?.reference.registry,
    rule,
    shown,
    holes: [...nowhere, ...lost],
  };
}

function deadEnd(
  { config }: RehearsalNode,
  image: WantedImage,
  rule: RegistryRule | undefined,
  { endpoints, blocked, blockedEndpoints }: PullEndpoints,
): Hole {
  // All but the last, which is the source.
  const mirrors = endpoints.length + blockedEndpoints.length - 1;
  if (rule && mirrors > 0) return blockedMirrors(image, rule, blockedEndpoints.slice(0, mirrors));
  if (rule && rule.mirrors.length > 0) return wrongPull(image, rule);
  return rule && blocked ? blockedWithoutMirror(image, rule) : missingRule(config, image);
}

function bootstrapEndpoints({ config, inside }: RehearsalNode, image: WantedImage) {
  const isPayload = image.kind === 'release' || image.kind === 'component';
  if (!config.bootstrapConf || !isPayload || inside.has(image.reference.registry)) return undefined;
  return pullEndpoints(config.bootstrapConf, image.reference).endpoints;
}
