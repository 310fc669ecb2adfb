import { formatReference, type Reference, referenceIfValid } from '../../oci/reference.ts';
import type { SignedIdentity } from './policy-schema.ts';

/** Whether an image signed as `signed` may stand for `reference`. */
export function acceptsIdentity(
  rule: SignedIdentity,
  reference: Reference,
  signed: string,
): boolean {
  const name = referenceIfValid(signed);
  if (!name) return false;
  switch (rule.type) {
    case 'matchExact':
      return isSame(wanted(reference), name);
    case 'matchRepoDigestOrExact':
      return standsFor(wanted(reference), name);
    case 'matchRepository':
      return nameOf(reference) === nameOf(name);
    case 'exactReference':
      return isSame(referenceIfValid(rule.dockerReference), name);
    case 'exactRepository':
      return nameOf(referenceIfValid(rule.dockerRepository)) === nameOf(name);
    case 'remapIdentity':
      return standsFor(remapped(wanted(reference), rule.prefix, rule.signedPrefix), name);
  }
}

/** Nodes ask by digest where there is one, and else by tag. */
function wanted({ registry, repository, tag, digest }: Reference): Reference {
  return { registry, repository, ...(digest ? { digest } : { tag: tag ?? 'latest' }) };
}

const nameOf = (reference: Reference | undefined) =>
  reference && `${reference.registry}/${reference.repository}`;

const isNameOnly = ({ tag, digest }: Reference) => tag === undefined && digest === undefined;

function isSame(intended: Reference | undefined, signed: Reference): boolean {
  if (!intended || isNameOnly(intended) || isNameOnly(signed)) return false;
  return formatReference(intended) === formatReference(signed);
}

/** Any tag of the repository for a digest; but a signature for a bare name, as cosign makes it, for none. */
function standsFor(intended: Reference | undefined, signed: Reference): boolean {
  if (intended?.digest === undefined) return isSame(intended, signed);
  return !isNameOnly(signed) && nameOf(intended) === nameOf(signed);
}

function remapped(reference: Reference, prefix: string, signedPrefix: string) {
  const name = nameOf(reference) ?? '';
  const isBelow = name === prefix || name.startsWith(`${prefix}/`);
  const text = formatReference(reference);
  return isBelow ? referenceIfValid(signedPrefix + text.slice(prefix.length)) : reference;
}
