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
import { decide, type Policy } from '../node/policy.ts';
import { asksRekor, type PolicyRequirement, type SigstoreSigned } from '../node/policy-schema.ts';
import { acceptsIdentity } from '../node/signed-identity.ts';
import { copyCommand } from './commands.ts';
import type { Lookup } from './content-holes.ts';
import { type Hole, makeHole } from './hole.ts';

/** What nodes demand of one image, and who says so. */
export interface SignatureDemand {
  readonly rule: string;
  readonly requirement: PolicyRequirement | undefined;
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

/** Looks for the signatures nodes demand, in the repository the image came from. */
export async function checkSignatures(
  ctx: Context,
  lookup: Lookup,
  repository: Repository,
  instances: readonly Descriptor[],
  tools: SignatureTools,
): Promise<Hole[]> {
  const holes: Hole[] = [];
  for (const { rule, requirement } of demandsOn(lookup.image, tools.policy)) {
    if (requirement === undefined || requirement.type === 'sigstoreSigned') {
      const keys = await keysOf(rule, requirement, tools);
      const demand = { rule, keys, accepts: acceptsOf(lookup, requirement) };
      const found = instances.map((each) => checkOne(ctx, lookup, repository, each, demand));
      holes.push(...(await Promise.all(found)).filter((hole) => hole !== undefined));
    } else if (requirement.type === 'signedBy') {
      tools.unchecked(`${rule}: GPG signatures of images come from a lookaside store`);
    } else if (requirement.type !== 'insecureAcceptAnything') {
      // Nodes read "signedBaseLayer", and let nothing in.
      holes.push(rejected(lookup, rule));
    }
  }
  return holes;
}

interface Demand {
  readonly rule: string;
  /** Empty: signatures can only be looked for. */
  readonly keys: readonly KeyObject[];
  /** Whether a signature under this name is one for the image. */
  readonly accepts: (name: string) => boolean;
}

function acceptsOf({ image }: Lookup, signed: SigstoreSigned | undefined): Demand['accepts'] {
  if (!signed) return () => true;
  const identity = signed.signedIdentity ?? { type: 'matchRepoDigestOrExact' };
  return (name) => acceptsIdentity(identity, image.reference, name);
}

async function checkOne(
  ctx: Context,
  lookup: Lookup,
  repository: Repository,
  { digest }: Descriptor,
  { rule, keys, accepts }: Demand,
): Promise<Hole | undefined> {
  const tag = `${repository.registry}/${repository.repository}:${sigstoreTag(digest)}`;
  let words = '';
  try {
    if (!(await findSigstore(ctx, repository, digest))) return missing(lookup, rule, tag);
  } catch (error) {
    return wrong(lookup, rule, tag, wordsOf(ctx, error));
  }
  for (const key of keys) {
    try {
      await verifySigstore(ctx, repository, digest, key, accepts);
      return undefined;
    } catch (error) {
      words = wordsOf(ctx, error);
    }
  }
  return keys.length > 0 ? wrong(lookup, rule, tag, words) : undefined;
}

/** Only what was found out about a signature is a hole. */
function wordsOf(ctx: Context, error: unknown): string {
  if (ctx.signal.aborted || !(error instanceof AtollError)) throw error;
  return messageOf(error);
}

function missing({ image, target }: Lookup, rule: string, tag: string): Hole {
  const { registry, repository } = target;
  const evidence = `${tag}: manifest unknown`;
  const commands = copyCommand(image, target);
  const seen = { key: `${registry}/${repository}`, rule, commands, evidence, image };
  return makeHole('signature-missing', { registry }, seen);
}

function wrong({ image, target }: Lookup, rule: string, tag: string, words: string): Hole {
  const place = `${target.registry}/${target.repository}`;
  const commands = copyCommand(image, target);
  const seen = { key: place, rule, commands, evidence: `${tag}: ${words}`, image };
  return makeHole('signature-wrong', { place }, seen);
}

function rejected({ image }: Lookup, rule: string): Hole {
  const { registry } = image.reference;
  const evidence = `${image.name}: rejected by policy`;
  return makeHole('policy-rejects', { registry }, { key: rule, rule, evidence, image });
}

interface SignatureTools {
  readonly policy: Policy | undefined;
  /** Verifies what no key of the policy does. */
  readonly key: KeyObject | undefined;
  /** Told once for each thing that could not be looked at. */
  readonly unchecked: (what: string) => void;
}

/** Keys of which one must have signed: those of the policy, else the one that was named for it. */
async function keysOf(
  rule: string,
  signed: SigstoreSigned | undefined,
  { policy, key, unchecked }: SignatureTools,
): Promise<KeyObject[]> {
  if (signed && asksRekor(signed)) unchecked(`${rule}: entries of Rekor`);
  const own = signed && policy ? await policyKeys(policy, signed) : [];
  if (own.length > 0) return own;
  if (signed && !key) unchecked(`${rule}: ${rootOf(signed)}: signatures were only looked for`);
  return key ? [key] : [];
}

function rootOf({ fulcio, pki, keyPath, keyPaths = [] }: SigstoreSigned): string {
  if (fulcio || pki) return `certificates of ${fulcio ? 'Fulcio' : 'a PKI'}`;
  return `the key ${[...(keyPath ? [keyPath] : []), ...keyPaths].join(', ')} is not beside the policy`;
}

/** Keys inside the policy, or in files of their names beside it. */
async function policyKeys(policy: Policy, signed: SigstoreSigned): Promise<KeyObject[]> {
  const { keyData, keyDatas = [], keyPath, keyPaths = [] } = signed;
  const inside = [...(keyData ? [keyData] : []), ...keyDatas].map((data) => keyIn(policy, data));
  const paths = [...(keyPath ? [keyPath] : []), ...keyPaths];
  const beside = paths.map((path) => join(dirname(policy.file), basename(path)));
  const texts = await Promise.all(beside.map(readTextIfPresent));
  const found = beside.filter((_, index) => texts[index] !== undefined);
  return [...inside, ...(await Promise.all(found.map(loadSigstoreKey)))];
}

function keyIn({ file }: Policy, data: string): KeyObject {
  try {
    return createPublicKey(Buffer.from(data, 'base64'));
  } catch (cause) {
    throw new AtollError('INPUT_INVALID', `Cannot use "${file}": keyData holds no public key`, {
      hint: 'Put the PEM of the public key there, in base64',
      cause,
    });
  }
}
