import { openNode } from '../../rehearse/node/open-node.ts';
import { type Rehearsal, rehearse } from '../../rehearse/rehearse.ts';
import { defineCommand } from '../command.ts';
import { REHEARSE_OPTIONS, rehearseInput } from './rehearse-input.ts';
import { rehearsalText } from './rehearse-text.ts';

export const rehearseCommand = defineCommand({
  name: 'rehearse',
  summary: 'Pull everything the cluster will pull, as a node would, before anything boots',
  description:
    'Uses the generated configuration and nothing of this machine: mirror rules, pull secret, trust, names ' +
    'and policy of the nodes. Reports each hole with the rule that should have caught it and the command ' +
    'that closes it. Exits 0 when a node could pull every image, 7 when the mirror lacks content, 3 when ' +
    'only the configuration is at fault.',
  arguments: [
    {
      name: 'folder',
      summary: 'Folders of generated configuration, searched for files with the usual names',
      optional: true,
      variadic: true,
    },
  ],
  options: REHEARSE_OPTIONS,
  examples: [
    [
      'atoll rehearse --install-config install-config.yaml --release quay.io/openshift-release-dev/ocp-release@sha256:…',
      'a release through the rules, trust and pull secret of an install-config',
    ],
    [
      'atoll rehearse --install-config install-config.yaml --mirror-sets working-dir/cluster-resources/idms-oc-mirror.yaml --report working-dir/mirrored.json --depth full',
      'all that was mirrored, down to the last byte',
    ],
    ['atoll rehearse generated/ --report working-dir/mirrored.json', 'a folder of generated files'],
  ],
  async run(ctx, { args, options }): Promise<Rehearsal> {
    const input = await rehearseInput(args.rest, options);
    const node = await openNode(input.config, options.mirror);
    try {
      return (await rehearse(ctx, node, input.options)).rehearsal;
    } finally {
      await node.close();
    }
  },
  text: rehearsalText,
  exitCode,
});

/** Content that is missing weighs more than configuration: it takes longer to bring. */
function exitCode({ clean, findings, unread }: Rehearsal): number {
  if (clean) return 0;
  const holes = findings.filter(({ severity }) => severity === 'hole');
  const isContent = holes.some(({ fault }) => fault === 'content');
  return isContent || (holes.length === 0 && unread.length > 0) ? 7 : 3;
}
