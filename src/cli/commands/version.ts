import { readAsset, readBuilt } from '../../core/assets.ts';
import { AtollError } from '../../core/errors.ts';
import { defineCommand } from '../command.ts';
import { onOff } from '../flags.ts';

export const versionCommand = defineCommand({
  name: 'version',
  summary: 'Print the version of atoll and of Node, or what else is inside',
  options: {
    notices: onOff('Print the licences of all packages inside'),
    sbom: onOff('Print the bill of materials (SPDX 2.3, JSON)'),
  },
  examples: {
    'atoll version': 'one line',
    'atoll version --output json': 'for programs',
    'atoll version --sbom > atoll.spdx.json': 'what the program is made of, for a scanner',
  },
  run: async (_ctx, { options }) => ({
    version: readAsset('version.txt').trim(),
    node: process.versions.node,
    ...(options.notices ? { notices: built('NOTICES.txt') } : {}),
    ...(options.sbom ? { sbom: built('sbom.spdx.json') } : {}),
  }),
  text: ({ version, node, notices, sbom }) => {
    const texts = [notices, sbom].filter((text) => text !== undefined);
    return texts.length > 0 ? texts.join('\n').trimEnd() : `atoll ${version} (node ${node})`;
  },
});

function built(name: string): string {
  const text = readBuilt(name);
  if (text !== undefined) return text;
  throw new AtollError('FILE_UNREADABLE', `Cannot find ${name}: this atoll was not built`, {
    hint: 'Run "npm run build" in the sources',
  });
}
