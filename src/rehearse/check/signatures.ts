import { createPublicKey, type KeyObject } from 'node:crypto';
import { basename, dirname, join } from 'node:path';
import { needsSigstore } from '../../content/release/release-trust.ts';
import {
  findSigstore,
  loadSigstoreKey,
  sigstoreTag,
  verifySigstore,
} from '../../content/release/signatures/sigstore.ts';
import type { Context } from '../../core/context.ts';
import { AtollError, messageOf } from '../../core/errors.ts';
import { readTextIfPresent } from '../../core/files.ts';
import type { Descriptor } from '../../oci/descriptor.ts';
import type { Repository } from '../../remote/registries.ts';
import type { WantedImage } from '../images/wanted-image.ts';
import { acceptsIdentity, decide, type Policy, type Requirement } from '../node/policy.ts';
import { copyCommand } from './commands.ts';
import type { Lookup } from './content-holes.ts';
import type { Hole } from './hole.ts';

/** What nodes demand of one image, and who says so. */
export interface SignatureDemand {
  readonly rule: string;
  readonly requirement: Requirement | undefined;
}

/** Demands on the signatures of an image: by policy.json, and by the release from 4.21 on. */
export function demandsOn(image: WantedImage, policy: Policy | undefined): SignatureDemand[] {
  const decision = policy && decide(policy, image.reference);
  const byPolicy = (decision?.requirements ?? []).map((requirement) => ({
    rule: `${policy?.file}: ${decision?.scope}: ${requirement.type}`,
    requirement,
  }));
  const byRelease =
    image.kind === 'release' && needsSigstore(image.reference, image.release ?? '')
      ? [{ rule: 'ClusterImagePolicy "openshift", from 4.21 on', requirement: undefined }]
      : [];
  return [...byPolicy, ...byRelease];
}

export interface SignatureTools {
  readonly policy: Policy | undefined;
  /** Verifies what no key of the policy does. */
  readonly key: KeyObject | undefined;
  /** Told once for each thing that could not be looked at. */
  readonly unchecked: (what: string) => void;
}

/** Looks for the signatures nodes demand, in the repository the image came from. */
export async function checkSignatures(
  ctx: Context,
  lookup: Lookup,
  repository: Repository,
  instances: readonly Descriptor[],
  tools: SignatureTools,
): Promise<Hole[]> {
  const holes: Hole[] = [];
  for (const demand of demandsOn(lookup.image, tools.policy)) {
    const type = demand.requirement?.type ?? 'sigstoreSigned';
    if (type === 'reject') holes.push(rejected(lookup, demand));
    if (type === 'signedBy') {
      tools.unchecked(`${demand.rule}: GPG signatures of images come from a lookaside store`);
    }
    if (type !== 'sigstoreSigned') continue;
    const key = (await policyKey(demand, tools)) ?? tools.key;
    for (const instance of instances) {
      const hole = await checkOne(ctx, lookup, repository, instance, { demand, key });
      if (hole) holes.push(hole);
    }
  }
  return holes;
}

/** The key of a requirement: inside the policy, or the file of that name beside it. */
async function policyKey(
  { requirement }: SignatureDemand,
  { policy, key, unchecked }: SignatureTools,
): Promise<KeyObject | undefined> {
  const { keyData, keyPath } = requirement ?? {};
  if (keyData !== undefined) return createPublicKey(Buffer.from(keyData, 'base64'));
  if (keyPath === undefined || policy === undefined) return undefined;
  const beside = join(dirname(policy.file), basename(keyPath));
  if ((await readTextIfPresent(beside)) !== undefined) return await loadSigstoreKey(beside);
  if (!key) unchecked(`${policy.file} names the key ${keyPath}: signatures were only looked for`);
  return undefined;
}

interface Check {
  readonly demand: SignatureDemand;
  readonly key: KeyObject | undefined;
}

async function checkOne(
  ctx: Context,
  lookup: Lookup,
  repository: Repository,
  { digest }: Descriptor,
  { demand, key }: Check,
): Promise<Hole | undefined> {
  const tag = `${repository.registry}/${repository.repository}:${sigstoreTag(digest)}`;
  try {
    if (!key) {
      const found = await findSigstore(ctx, repository, digest);
      return found ? undefined : missing(lookup, demand, tag);
    }
    const signed = await verifySigstore(ctx, repository, digest, key);
    if (signed === undefined) return missing(lookup, demand, tag);
    const rule = demand.requirement && (demand.requirement.signedIdentity ?? DEFAULT_IDENTITY);
    const fits = !rule || acceptsIdentity(rule, lookup.image.reference, signed);
    return fits ? undefined : wrong(lookup, demand, tag, `it was signed as ${signed}`);
  } catch (error) {
    if (ctx.signal.aborted || !(error instanceof AtollError)) throw error;
    return wrong(lookup, demand, tag, messageOf(error));
  }
}

const DEFAULT_IDENTITY = { type: 'matchRepoDigestOrExact' };

function missing(lookup: Lookup, { rule }: SignatureDemand, tag: string): Hole {
  const { image, target } = lookup;
  return {
    cause: 'signature-missing',
    severity: 'hole',
    key: `${target.registry}/${target.repository}`,
    title: `${target.registry} lacks signatures that nodes demand`,
    rule,
    commands: copyCommand(image, target),
    evidence: `${tag}: manifest unknown`,
    image,
  };
}

function wrong(lookup: Lookup, { rule }: SignatureDemand, tag: string, words: string): Hole {
  const { image, target } = lookup;
  return {
    cause: 'signature-wrong',
    severity: 'hole',
    key: `${target.registry}/${target.repository}`,
    title: `Signatures in ${target.registry}/${target.repository} are not those nodes demand`,
    rule,
    commands: copyCommand(image, target),
    evidence: `${tag}: ${words}`,
    image,
  };
}

function rejected({ image }: Lookup, { rule }: SignatureDemand): Hole {
  return {
    cause: 'policy-rejects',
    severity: 'hole',
    key: rule,
    title: 'The policy of the nodes rejects images they need',
    rule,
    commands: [
      `atoll render policy --scope ${image.reference.registry}=accept OTHER_FLAGS --to policy.json`,
    ],
    evidence: `${image.name}: rejected by policy`,
    image,
  };
}
