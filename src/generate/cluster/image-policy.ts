import { AtollError } from '../../core/errors.ts';
import { clusterObject } from '../cluster-object.ts';
import { objectName } from '../dns-name.ts';

export interface ImagePolicyInput {
  readonly name: string;
  /** Images it is about, as workloads name them: a registry, a repository, an image, `*.domain`. */
  readonly scopes: readonly string[];
  /** PEM of the key that signed them. */
  readonly publicKey: string;
  /** The name that was signed, where images have another one now. */
  readonly signedAs?: SignedName | undefined;
  /** For the images of one namespace; without it for all of the cluster. */
  readonly namespace?: string | undefined;
}

/** All of it under one repository, or a prefix that was replaced. */
export type SignedName =
  | { readonly repository: string }
  | { readonly prefix: string; readonly signedPrefix: string };

/** Which own images nodes start only with a Sigstore signature: a ClusterImagePolicy, or an ImagePolicy. */
export function imagePolicy(input: ImagePolicyInput) {
  const { scopes, publicKey, signedAs, namespace } = input;
  const kind = namespace === undefined ? 'ClusterImagePolicy' : 'ImagePolicy';
  const name = objectName(kind, input.name);
  if (kind === 'ClusterImagePolicy' && name === 'openshift') {
    throw new AtollError('INPUT_INVALID', 'Cannot name a ClusterImagePolicy "openshift"', {
      hint: 'The cluster has one of that name for its release: take another',
    });
  }
  return clusterObject(
    'config.openshift.io/v1',
    kind,
    { name, ...(namespace === undefined ? {} : { namespace }) },
    {
      scopes: [...new Set(scopes)].toSorted(),
      policy: {
        rootOfTrust: {
          policyType: 'PublicKey',
          publicKey: { keyData: Buffer.from(publicKey).toString('base64') },
        },
        signedIdentity: identityOf(signedAs),
      },
    },
  );
}

/** Cosign signs names without tags, so only repositories can be compared. */
function identityOf(signedAs: SignedName | undefined): object {
  if (!signedAs) return { matchPolicy: 'MatchRepository' };
  return 'repository' in signedAs
    ? { matchPolicy: 'ExactRepository', exactRepository: { repository: signedAs.repository } }
    : { matchPolicy: 'RemapIdentity', remapIdentity: signedAs };
}
