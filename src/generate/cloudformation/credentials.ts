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
  output,
  ref,
  resource,
  type Template,
  type TemplatePart,
  type TemplateResource,
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
function credentialsId(request: string): string {
  return request
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
}

function userPart(input: CredentialsStackInput, request: CredentialsRequest): TemplatePart {
  const id = credentialsId(request.name);
  const inManager = input.keys === 'secrets-manager';
  const secret = secretKey(request.secret);
  return {
    resources: {
      [`${id}User`]: user(input, request),
      ...policies(input, request, id),
      ...(inManager ? keyResources(input, request, id) : {}),
    },
    outputs: {
      [`${id}User`]: output(`User for ${secret}`, ref(`${id}User`)),
      ...(inManager ? { [`${id}Secret`]: output(`Key for ${secret}`, ref(`${id}Secret`)) } : {}),
    },
  };
}

function user(input: CredentialsStackInput, { name }: CredentialsRequest): TemplateResource {
  const { permissionsBoundary } = input;
  return resource('AWS::IAM::User', {
    UserName: userName(input.site, name),
    Path: PATH,
    ...(permissionsBoundary ? { PermissionsBoundary: permissionsBoundary } : {}),
    Tags: tagsOf(input, name),
  });
}

/** Managed ones, because inline policies of a user have room for a third of what operators ask. */
function policies(
  { site }: SiteStack,
  request: CredentialsRequest,
  id: string,
): Record<string, TemplateResource> {
  const documents = policyDocuments(request);
  const entries = documents.map((document, index): [string, TemplateResource] => [
    `${id}Policy${documents.length > 1 ? index + 1 : ''}`,
    resource('AWS::IAM::ManagedPolicy', {
      Path: PATH,
      Description: `What ${request.name} of the site ${site} asks for`,
      PolicyDocument: document as unknown as Value,
      Users: [ref(`${id}User`)],
    }),
  ]);
  return Object.fromEntries(entries);
}

/** The key goes straight from IAM into a secret, in the form `render credentials secrets` reads. */
function keyResources(
  input: CredentialsStackInput,
  { name }: CredentialsRequest,
  id: string,
): Record<string, TemplateResource> {
  const text = JSON.stringify({
    AccessKey: { UserName: hole('User'), AccessKeyId: hole('Id'), SecretAccessKey: hole('Key') },
  });
  const values: Value = {
    User: ref(`${id}User`),
    Id: ref(`${id}Key`),
    Key: getAtt(`${id}Key`, 'SecretAccessKey'),
  };
  return {
    [`${id}Key`]: resource('AWS::IAM::AccessKey', { UserName: ref(`${id}User`) }),
    [`${id}Secret`]: resource(
      'AWS::SecretsManager::Secret',
      {
        Description: `Access key of ${name}`,
        SecretString: { 'Fn::Sub': [text, values] },
        Tags: tagsOf(input, name),
      },
      { DeletionPolicy: 'Delete', UpdateReplacePolicy: 'Delete' },
    ),
  };
}
