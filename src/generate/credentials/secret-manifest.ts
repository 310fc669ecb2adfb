import { AtollError } from '../../core/errors.ts';
import { type AccessKey, type CredentialKeys, keyNames, type Login } from './credential-keys.ts';
import { type CredentialsRequest, orderedRequests, secretKey } from './credentials-request.ts';

export interface SecretManifest {
  readonly apiVersion: 'v1';
  readonly kind: 'Secret';
  readonly metadata: { readonly name: string; readonly namespace: string };
  readonly type: 'Opaque';
  readonly stringData: Readonly<Record<string, string>>;
}

export interface SecretManifests {
  readonly secrets: readonly SecretManifest[];
  /** Keys that no request needs. */
  readonly unused: readonly string[];
}

/** The Secrets of manual mode. A request without its key is an error: its operator would never start. */
export function secretManifests(
  requests: readonly CredentialsRequest[],
  keys: CredentialKeys,
  site?: string,
): SecretManifests {
  const found = orderedRequests(requests).map((request) => ({
    request,
    name: keyNames(site, request).find((name) => keys.has(name)),
  }));
  const missing = found.filter(({ name }) => name === undefined);
  if (missing.length > 0) throw withoutKeys(missing.map(({ request }) => request));
  const used = new Set(found.map(({ name }) => name));
  return {
    secrets: found.flatMap(({ request, name }) => {
      const key = keys.get(name ?? '');
      return key ? [secretManifest(request, key)] : [];
    }),
    unused: [...keys.keys()].filter((name) => !used.has(name)),
  };
}

/** The Secret one request names, in the form operators of that cloud read. */
export function secretManifest(
  request: CredentialsRequest,
  key: AccessKey | Login,
): SecretManifest {
  const { name, namespace } = request.secret;
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, namespace },
    type: 'Opaque',
    stringData: dataOf(request, key),
  };
}

function dataOf({ name, kind }: CredentialsRequest, key: AccessKey | Login) {
  if (kind === 'AWSProviderSpec' && 'accessKeyId' in key) return awsData(key);
  if (kind === 'NutanixProviderSpec' && 'username' in key) return nutanixData(key);
  throw new AtollError('INPUT_INVALID', `Cannot make the Secret of "${name}" from that key`, {
    hint: `A ${kind} takes ${
      kind === 'NutanixProviderSpec' ? 'username and password' : 'accessKeyId and secretAccessKey'
    }`,
  });
}

/** Old and new readers: two fields, and the same as a credentials file. */
function awsData({ accessKeyId, secretAccessKey }: AccessKey): Record<string, string> {
  const profile = [
    '[default]',
    `aws_access_key_id = ${accessKeyId}`,
    `aws_secret_access_key = ${secretAccessKey}`,
  ];
  return {
    aws_access_key_id: accessKeyId,
    aws_secret_access_key: secretAccessKey,
    credentials: `${profile.join('\n')}\n`,
  };
}

function nutanixData({ username, password }: Login): Record<string, string> {
  const data = { prismCentral: { username, password }, prismElements: null };
  return { credentials: JSON.stringify([{ type: 'basic_auth', data }]) };
}

/** Name of the file below `manifests/` of the installer. */
export const secretFileName = ({ metadata }: SecretManifest): string =>
  `${metadata.namespace}-${metadata.name}-credentials.yaml`;

function withoutKeys(requests: readonly CredentialsRequest[]): AtollError {
  const names = requests.map(({ name, secret }) => `${name} (${secretKey(secret)})`);
  return new AtollError('INPUT_INVALID', `Cannot find a key for ${names.join(', ')}`, {
    hint: 'Add it under the name of its user, its request or its Secret',
    details: { missing: requests.length },
  });
}
