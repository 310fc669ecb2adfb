import { readAsset } from '../../core/assets.ts';
import { defineCommand } from '../command.ts';

export const versionCommand = defineCommand({
  name: 'version',
  summary: 'Print the version of atoll and of Node',
  examples: [
    ['atoll version', 'one line'],
    ['atoll version --output json', 'for programs'],
  ],
  run: async () => ({ version: readAsset('version.txt').trim(), node: process.versions.node }),
  text: ({ version, node }) => `atoll ${version} (node ${node})`,
});
