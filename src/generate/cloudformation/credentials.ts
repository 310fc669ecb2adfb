import { AtollError } from '../../core/errors.ts';
import {
  type CredentialsRequest,
  orderedRequests,
  secretKey,
} from '../credentials/credentials-request.ts';
import { policyDocuments } from '../credentials/iam-policy.ts';
import { userName } from '../credentials/user-name.ts';
import { checkSite, type SiteStack, tagsOf } from './tags.ts';
import {
  getAtt,
  hole,
  type Output,
  type Resource,
  ref,
  type Template,
  type TemplatePart,
  templateFrom,
  type Value,
} from './template.ts';

export interface CredentialsStackInput extends SiteStack {
  readonly requests: readonly CredentialsRequest[];
  /**
   * Where access keys come from. `outside`: the stack makes none, and whoever makes them hands them
   * to the Secret manifests; nothing else ever holds them. `secrets-manager`: the stack makes them
   * and keeps each in a secret that only its readers can see. They are never outputs.
   */
  readonly keys?: KeyPlace | undefined;
  /** ARN of a policy that bounds what the users may ever do. */
  readonly permissionsBoundary?: string | undefined;
}

export type KeyPlace = 'outside' | 'secrets-manager';

const PATH = '/atoll/';

/** One IAM user for each request, with exactly the rights it asks for. Needs CAPABILITY_NAMED_IAM. */
export function credentialsTemplate(input: CredentialsStackInput): Template {
  checkSite(input);
  const requests = orderedRequests(input.requests);
  if (requests.length === 0) {
    throw new AtollError('INPUT_INVALID', 'Cannot make users: there is no request', {
      hint: 'Take the files of "atoll release extract --credentials-requests --cloud aws"',
    });
  }
  return templateFrom(
    `Users of the operators of the site ${input.site}`,
    requests.map((request) => userPart(input, request)),
  );
}

/** Name of the output that holds the user of a request; secrets end in `Secret`. */
export function credentialsId(request: string): string {
  return request
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
}

function userPart(input: CredentialsStackInput, request: CredentialsRequest): TemplatePart {
  const id = credentialsId(request.name);
  const documents = policyDocuments(request);
  const policies = documents.map((document, index): [string, Resource] => [
    `${id}Policy${documents.length > 1 ? index + 1 : ''}`,
    policy(input, request, document as unknown as Value),
  ]);
  const inManager = input.keys === 'secrets-manager';
  return {
    resources: {
      ...Object.fromEntries(policies),
      [`${id}User`]: user(
        input,
        request,
        policies.map(([name]) => ref(name)),
      ),
      ...(inManager ? keyResources(input, request, id) : {}),
    },
    outputs: {
      [`${id}User`]: output(`User for ${secretKey(request.secret)}`, ref(`${id}User`)),
      ...(inManager
        ? { [`${id}Secret`]: output(`Key for ${secretKey(request.secret)}`, ref(`${id}Secret`)) }
        : {}),
    },
  };
}

const output = (Description: string, Value: Value): Output => ({ Description, Value });

const policy = ({ site }: SiteStack, { name }: CredentialsRequest, document: Value): Resource => ({
  Type: 'AWS::IAM::ManagedPolicy',
  Properties: {
    Path: PATH,
    Description: `What ${name} of the site ${site} asks for`,
    PolicyDocument: document,
  },
});

function user(
  input: CredentialsStackInput,
  { name }: CredentialsRequest,
  policies: readonly Value[],
): Resource {
  const { permissionsBoundary } = input;
  return {
    Type: 'AWS::IAM::User',
    Properties: {
      UserName: userName(input.site, name),
      Path: PATH,
      ManagedPolicyArns: policies,
      ...(permissionsBoundary ? { PermissionsBoundary: permissionsBoundary } : {}),
      Tags: tagsOf(input, name),
    },
  };
}

/** The key goes straight from IAM into a secret, in the form `render credentials secrets` reads. */
function keyResources(
  input: CredentialsStackInput,
  { name }: CredentialsRequest,
  id: string,
): Record<string, Resource> {
  const text = JSON.stringify({
    AccessKey: { UserName: hole('User'), AccessKeyId: hole('Id'), SecretAccessKey: hole('Key') },
  });
  const values: Value = {
    User: ref(`${id}User`),
    Id: ref(`${id}Key`),
    Key: getAtt(`${id}Key`, 'SecretAccessKey'),
  };
  return {
    [`${id}Key`]: {
      Type: 'AWS::IAM::AccessKey',
      Properties: { UserName: ref(`${id}User`) },
    },
    [`${id}Secret`]: {
      Type: 'AWS::SecretsManager::Secret',
      DeletionPolicy: 'Delete',
      UpdateReplacePolicy: 'Delete',
      Properties: {
        Name: `atoll/${input.site}/${name}`,
        Description: `Access key of ${name}`,
        SecretString: { 'Fn::Sub': [text, values] },
        Tags: tagsOf(input, name),
      },
    },
  };
}
