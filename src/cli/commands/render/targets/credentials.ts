import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import type { Context } from '../../../../core/context.ts';
import { AtollError } from '../../../../core/errors.ts';
import { readText } from '../../../../core/files.ts';
import { registerSecret } from '../../../../core/redact.ts';
import { toYaml } from '../../../../core/yaml.ts';
import { credentialsTemplate } from '../../../../generate/cloudformation/credentials.ts';
import { formatTemplate } from '../../../../generate/cloudformation/template.ts';
import { readCredentialKeys } from '../../../../generate/credentials/credential-keys.ts';
import {
  type CredentialsRequest,
  readCredentialsRequests,
  secretKey,
} from '../../../../generate/credentials/credentials-request.ts';
import { broadActions, policyDocuments } from '../../../../generate/credentials/iam-policy.ts';
import {
  secretFileName,
  secretManifests,
} from '../../../../generate/credentials/secret-manifest.ts';
import { selectRequests } from '../../../../generate/credentials/select-requests.ts';
import { userName } from '../../../../generate/credentials/user-name.ts';
import type { SiteInputs } from '../../../../site/inputs.ts';
import { choice, manyTexts, someTexts, text } from '../flags.ts';
import { deliver, type RenderResult, renderTarget, schemaCommand } from '../target.ts';
import { STACK_FLAGS } from './stacks.ts';

/** Flags that say which requests are meant. */
const REQUEST_FLAGS = {
  requests: someTexts(
    'PATH',
    'CredentialsRequests: a file, or a folder of "atoll release extract"',
  ),
  disabledCapability: manyTexts(
    'NAME',
    'Capability that is off, so that its namespaces do not exist',
  ),
  featureSet: text('SET', 'Feature set of the cluster, such as TechPreviewNoUpgrade').default(
    'Default',
  ),
};

interface Wanted {
  readonly requests: readonly string[];
  readonly disabledCapability: readonly string[];
  readonly featureSet: string;
}

const fromSite = ({ site }: SiteInputs) => ({
  name: site.name,
  disabledCapability: site.cluster.disabledCapabilities,
});

/** The requests this cluster needs. What is left out, and what asks for much, is told. */
async function requestsFrom(
  ctx: Context,
  { requests: paths, disabledCapability: disabledCapabilities, featureSet }: Wanted,
  kind = 'AWSProviderSpec',
): Promise<readonly CredentialsRequest[]> {
  const files = (await Promise.all(paths.map(filesAt))).flat();
  const requests = await Promise.all(
    files.map(async (file) => readCredentialsRequests(await readText(file), file)),
  );
  const wanted = { kind, disabledCapabilities, featureSet };
  const { selected, skipped } = selectRequests(requests.flat(), wanted);
  for (const { name, reason } of skipped) {
    ctx.emit({ type: 'note.added', message: `Left out ${name}: ${reason}` });
  }
  if (selected.length === 0) throw nothingLeft(paths, kind);
  for (const request of selected) warnOfBroadActions(ctx, request);
  return selected;
}

async function filesAt(path: string): Promise<string[]> {
  const isFolder = await stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (!isFolder) return [path];
  const names = (await readdir(path)).filter((name) => /\.(?:ya?ml|json)$/.test(name));
  return names.toSorted().map((name) => join(path, name));
}

function warnOfBroadActions(ctx: Context, request: CredentialsRequest): void {
  const broad = broadActions(request);
  if (broad.length === 0) return;
  ctx.emit({
    type: 'warning.raised',
    subject: request.name,
    message: `${request.name} asks for whole services: ${broad.join(', ')}`,
    hint: 'Look whether it comes from the release you trust',
  });
}

function nothingLeft(paths: readonly string[], kind: string): AtollError {
  return new AtollError(
    'INPUT_INVALID',
    `Cannot find a request for ${kind} in ${paths.join(', ')}`,
    { hint: 'Take the files of "atoll release extract --credentials-requests --cloud aws"' },
  );
}

export const cloudFormationCredentialsTarget = renderTarget({
  name: 'cloudformation credentials',
  summary: 'Template of the IAM users of manual mode, one for each request',
  description:
    'Each user may do exactly what its CredentialsRequest says. Access keys are never outputs of the ' +
    'stack: make them yourself, or let the stack keep them in Secrets Manager.',
  schema: z.object({
    ...STACK_FLAGS,
    ...REQUEST_FLAGS,
    keysIn: choice(
      'PLACE',
      ['outside', 'secrets-manager'],
      'Who makes the access keys: you, or the stack',
    ).default('outside'),
    permissionsBoundary: text('ARN', 'Policy that bounds the users').optional(),
  }),
  examples: {
    'atoll render cloudformation credentials --name site --requests requests --to credentials.yaml':
      'users without keys',
  },
  fromSite,
  make: async (options, ctx) => {
    const { name: site, tag: tags, keysIn: keys, permissionsBoundary } = options;
    const requests = await requestsFrom(ctx, options);
    return formatTemplate(credentialsTemplate({ site, tags, requests, keys, permissionsBoundary }));
  },
});

export const credentialsPoliciesTarget = renderTarget({
  name: 'credentials policies',
  summary: 'IAM user and policies of every CredentialsRequest, as JSON',
  schema: z.object({ name: text('SITE', 'Name of the site'), ...REQUEST_FLAGS }),
  examples: {
    'atoll render credentials policies --name site --requests requests --to policies.json':
      'for sites that make their users without CloudFormation',
  },
  fromSite,
  make: async (options, ctx) => {
    const users = (await requestsFrom(ctx, options)).map((request) => ({
      request: request.name,
      user: userName(options.name, request.name),
      secret: secretKey(request.secret),
      policies: policyDocuments(request),
    }));
    return `${JSON.stringify(users, undefined, 2)}\n`;
  },
});

export const credentialsSecretsCommand = schemaCommand({
  name: 'render credentials secrets',
  summary: 'Secrets of manual mode, from CredentialsRequests and keys',
  description:
    'With --to, one file for each Secret, readable by the owner alone; copy them into "manifests" ' +
    'of the installer after "openshift-install create manifests".',
  schema: z.object({
    ...REQUEST_FLAGS,
    keys: text('FILE', 'Access keys, by user, request or namespace/name of the Secret').transform(
      readKeys,
    ),
    name: text('SITE', 'Name of the site, when keys are by user').optional(),
    cloud: choice('NAME', ['aws', 'nutanix'], 'Cloud of the requests').default('aws'),
    to: text('DIR', 'Folder for the files, instead of stdout').optional(),
  }),
  examples: {
    'atoll render credentials secrets --name site --requests requests --keys keys.json --to manifests':
      'with the keys "aws iam create-access-key" printed',
  },
  verbatim: true,
  async run(ctx, options): Promise<readonly RenderResult[]> {
    const kind = options.cloud === 'aws' ? 'AWSProviderSpec' : 'NutanixProviderSpec';
    const requests = await requestsFrom(ctx, options, kind);
    const { secrets, unused } = secretManifests(requests, options.keys, options.name);
    warnOfUnused(ctx, unused);
    const written: RenderResult[] = [];
    for (const secret of secrets) {
      const to = options.to && join(options.to, secretFileName(secret));
      written.push(await deliver(ctx, { contents: toYaml(secret), secret: true }, to));
    }
    return written;
  },
  text: (files) =>
    files.every(({ contents }) => contents !== undefined)
      ? files.map(({ contents }) => contents?.trimEnd()).join('\n---\n')
      : files.map(({ path }) => path).join('\n'),
});

async function readKeys(path: string) {
  const keys = readCredentialKeys(await readText(path), path);
  for (const key of keys.values()) {
    registerSecret('password' in key ? key.password : key.secretAccessKey);
  }
  return keys;
}

function warnOfUnused(ctx: Context, names: readonly string[]): void {
  if (names.length === 0) return;
  ctx.emit({
    type: 'warning.raised',
    message: `No request uses the key of ${names.join(', ')}`,
    hint: 'Check the name, or delete the key',
  });
}
