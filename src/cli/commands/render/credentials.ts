import { join } from 'node:path';
import type { Context } from '../../../core/context.ts';
import { readText } from '../../../core/files.ts';
import { registerSecret } from '../../../core/redact.ts';
import {
  type CredentialKeys,
  readCredentialKeys,
} from '../../../generate/credentials/credential-keys.ts';
import { secretKey } from '../../../generate/credentials/credentials-request.ts';
import { policyDocuments } from '../../../generate/credentials/iam-policy.ts';
import { secretFileName, secretManifests } from '../../../generate/credentials/secret-manifest.ts';
import { userName } from '../../../generate/credentials/user-name.ts';
import { toYaml } from '../../../generate/yaml.ts';
import { defineCommand } from '../../command.ts';
import { REQUEST_OPTIONS, requestsFrom } from './credentials-input.ts';
import { deliver, type RenderResult, renderCommand } from './render-command.ts';

export const renderCredentialsPoliciesCommand = renderCommand({
  name: 'render credentials policies',
  summary: 'IAM user and policies of every CredentialsRequest, as JSON',
  options: {
    name: { type: 'string', value: 'SITE', required: true, summary: 'Name of the site' },
    ...REQUEST_OPTIONS,
  },
  examples: [
    [
      'atoll render credentials policies --name site --requests requests --to policies.json',
      'for sites that make their users without CloudFormation',
    ],
  ],
  async render(ctx, { options }) {
    const requests = await requestsFrom(ctx, options);
    const users = requests.map((request) => ({
      request: request.name,
      user: userName(options.name, request.name),
      secret: secretKey(request.secret),
      policies: policyDocuments(request),
    }));
    return { contents: `${JSON.stringify(users, undefined, 2)}\n` };
  },
});

export const renderCredentialsSecretsCommand = defineCommand({
  name: 'render credentials secrets',
  summary: 'Secrets of manual mode, from CredentialsRequests and keys',
  description:
    'With --to, one file for each Secret, readable by the owner alone; copy them into "manifests" ' +
    'of the installer after "openshift-install create manifests".',
  options: {
    ...REQUEST_OPTIONS,
    keys: {
      type: 'string',
      value: 'FILE',
      required: true,
      summary: 'Access keys, by user, request or namespace/name of the Secret',
    },
    name: { type: 'string', value: 'SITE', summary: 'Name of the site, when keys are by user' },
    cloud: {
      type: 'string',
      value: 'NAME',
      choices: ['aws', 'nutanix'],
      default: 'aws',
      summary: 'Cloud of the requests',
    },
    to: { type: 'string', value: 'DIR', summary: 'Folder for the files, instead of stdout' },
  },
  examples: [
    [
      'atoll render credentials secrets --name site --requests requests --keys keys.json --to manifests',
      'with the keys "aws iam create-access-key" printed',
    ],
  ],
  verbatim: true,
  async run(ctx, { options }): Promise<readonly RenderResult[]> {
    const kind = options.cloud === 'aws' ? 'AWSProviderSpec' : 'NutanixProviderSpec';
    const keys = await keysFrom(options.keys);
    const requests = await requestsFrom(ctx, options, kind);
    const { secrets, unused } = secretManifests(requests, keys, options.name);
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

async function keysFrom(path: string): Promise<CredentialKeys> {
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
