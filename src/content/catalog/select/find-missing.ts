import type { Bundle } from '../model/catalog.ts';
import type { Requirement } from '../model/requirement.ts';
import { isJudged, meets, type Offer } from './offer.ts';
import type { Provider, Providers } from './providers.ts';

/** What is there already, and what could be added. */
export interface Market {
  readonly selected: Offer;
  readonly providers: Providers;
  /** Whether a provider may be added at all. */
  readonly isUsable: (bundle: Bundle) => boolean;
  /** Whether its package is mirrored anyway: it is taken before others that do as well. */
  readonly isNear: (bundle: Bundle) => boolean;
}

type Allowed = (bundle: Bundle) => boolean;

/** What has to be added so that a requirement is met: nothing when it is; undefined when nothing helps. */
export function findMissing(
  requirement: Requirement,
  market: Market,
  allowed: Allowed = () => true,
): readonly Provider[] | undefined {
  if (requirement.kind === 'not' || !isJudged(requirement)) return [];
  if (market.selected.meeting(requirement).some(allowed)) return [];
  if (requirement.kind === 'any') return findAny(requirement.of, market, allowed);
  const alone = choose(requirement, market, allowed);
  if (alone) return [alone];
  return requirement.kind === 'all' ? findAll(requirement.of, market, allowed) : undefined;
}

function choose(
  requirement: Requirement,
  { providers, isUsable, isNear }: Market,
  allowed: Allowed,
): Provider | undefined {
  const found = providers
    .find(requirement)
    .filter(({ bundle }) => isUsable(bundle) && allowed(bundle));
  return found.find(({ bundle }) => isNear(bundle)) ?? found[0];
}

/** The first alternative that is met, else the first that can be. */
function findAny(
  parts: readonly Requirement[],
  market: Market,
  allowed: Allowed,
): readonly Provider[] | undefined {
  const found = parts.flatMap((part) => {
    const missing = findMissing(part, market, allowed);
    return missing ? [missing] : [];
  });
  return found.find((missing) => missing.length === 0) ?? found[0];
}

/** Each part by a bundle of its own, none of them one that a "not" among the parts rules out. */
function findAll(
  parts: readonly Requirement[],
  market: Market,
  allowed: Allowed,
): readonly Provider[] | undefined {
  const negative = parts.filter(({ kind }) => kind === 'not');
  const narrowed: Allowed = (bundle) =>
    allowed(bundle) && negative.every((part) => meets(bundle, part));
  const found = parts.map((part) => findMissing(part, market, narrowed));
  if (found.some((missing) => missing === undefined)) return undefined;
  return found.flatMap((missing) => missing ?? []);
}

/** The parts of a requirement that this tool cannot judge. */
export function unjudged(requirement: Requirement): readonly Requirement[] {
  if (!isJudged(requirement)) return [requirement];
  return 'of' in requirement ? requirement.of.flatMap(unjudged) : [];
}
