import {
  credentialsTemplate,
  type KeyPlace,
} from '../../../generate/cloudformation/credentials.ts';
import { formatTemplate } from '../../../generate/cloudformation/template.ts';
import { STACK_OPTIONS, tagsFrom } from './cloudformation-options.ts';
import { REQUEST_OPTIONS, requestsFrom } from './credentials-input.ts';
import { renderCommand } from './render-command.ts';

export const renderCloudFormationCredentialsCommand = renderCommand({
  name: 'render cloudformation credentials',
  summary: 'Template of the IAM users of manual mode, one for each request',
  description:
    'Each user may do exactly what its CredentialsRequest says. Access keys are never outputs of the ' +
    'stack: make them yourself, or let the stack keep them in Secrets Manager.',
  options: {
    ...STACK_OPTIONS,
    ...REQUEST_OPTIONS,
    keysIn: {
      type: 'string',
      value: 'PLACE',
      choices: ['outside', 'secrets-manager'],
      default: 'outside',
      summary: 'Who makes the access keys: you, or the stack',
    },
    permissionsBoundary: { type: 'string', value: 'ARN', summary: 'Policy that bounds the users' },
  },
  examples: [
    [
      'atoll render cloudformation credentials --name site --requests requests --to credentials.yaml',
      'users without keys',
    ],
  ],
  async render(ctx, { options }) {
    const template = credentialsTemplate({
      site: options.name,
      tags: tagsFrom(options.tag),
      requests: await requestsFrom(ctx, options),
      keys: options.keysIn as KeyPlace,
      permissionsBoundary: options.permissionsBoundary,
    });
    return { contents: formatTemplate(template) };
  },
});
