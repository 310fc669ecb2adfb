import { AtollError } from '../../core/errors.ts';
import { hostNameOf, isLocation } from '../../oci/registries/location.ts';
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
  checkKey(publicKey);
  for (const scope of scopes) checkPlace(scope, true);
  for (const place of Object.values(signedAs ?? {})) checkPlace(place, false);
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

const PUBLIC_KEY = /^-----BEGIN PUBLIC KEY-----\n[^-]+-----END PUBLIC KEY-----\n?$/;

/** The API takes one key in PEM, and nothing before or behind it. */
function checkKey(publicKey: string): void {
  if (PUBLIC_KEY.test(publicKey)) return;
  throw new AtollError('INPUT_INVALID', 'Cannot trust this key: it is no public key in PEM', {
    hint: 'Give the cosign.pub that "cosign generate-key-pair" wrote, and nothing else in it',
  });
}

/** Names of hosts have a dot, or are localhost. Only scopes may end in a tag or a digest. */
function checkPlace(place: string, isScope: boolean): void {
  const bare = isScope
    ? place.replace(/(?<=\/.*):[\w][\w.-]*$|(?<=\/.*)(?::[\w][\w.-]*)?@\w+:[0-9a-f]{32,}$/, '')
    : place;
  const host = hostNameOf(bare);
  const isNamed = host === 'localhost' || (host.includes('.') && !/[[_]/.test(host));
  if (isNamed && isLocation(bare, { wildcard: isScope })) return;
  throw new AtollError('INPUT_INVALID', `Cannot have a policy for "${place}"`, {
    hint: 'Write a domain with a dot in it or "localhost", as "host.example[:port][/path]"',
  });
}

/** Cosign signs names without tags, so only repositories can be compared. */
function identityOf(signedAs: SignedName | undefined): object {
  if (!signedAs) return { matchPolicy: 'MatchRepository' };
  return 'repository' in signedAs
    ? { matchPolicy: 'ExactRepository', exactRepository: { repository: signedAs.repository } }
    : { matchPolicy: 'RemapIdentity', remapIdentity: signedAs };
}
