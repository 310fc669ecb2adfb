import { readText } from '../../../core/files.ts';
import {
  awsFacts,
  awsPlatform,
  readStackOutputs,
} from '../../../generate/cloudformation/stack-outputs.ts';
import { toYaml } from '../../../generate/yaml.ts';
import { renderCommand } from './render-command.ts';

export const renderAwsPlatformCommand = renderCommand({
  name: 'render aws-platform',
  summary: 'Platform file for install-config, from the outputs of the network stack',
  options: {
    stack: {
      type: 'string',
      value: 'FILE',
      required: true,
      summary: 'What "aws cloudformation describe-stacks" printed',
    },
    region: { type: 'string', value: 'REGION', required: true, summary: 'Region of the stack' },
    facts: { type: 'boolean', summary: 'Print the facts for --aws-facts instead' },
  },
  examples: [
    [
      'atoll render aws-platform --stack network.json --region us-east-1 --to aws.yaml',
      'for render install-config --platform',
    ],
    [
      'atoll render aws-platform --stack network.json --region us-east-1 --facts',
      'for its --aws-facts',
    ],
  ],
  async render(_ctx, { options: { stack, region, facts } }) {
    const outputs = readStackOutputs(await readText(stack), stack);
    return { contents: toYaml(facts ? awsFacts(outputs) : awsPlatform(outputs, region)) };
  },
});
