import { selfCommand } from '../../core/self.ts';
import { NAMESPACE_VARIABLE } from '../../rehearse/isolate/namespace-plan.ts';
import type { Rehearsal } from '../../rehearse/rehearse.ts';
import { type RehearsalResult, runRehearsal } from '../../rehearse/run-rehearsal.ts';
import { defineCommand } from '../command.ts';
import { argumentsOf } from '../options.ts';
import { REHEARSE_OPTIONS, type RehearseFlags, rehearseInput } from './rehearse-input.ts';
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
    [
      'atoll rehearse generated/ --report working-dir/mirrored.json --isolate',
      'where nothing but the mirror can be reached',
    ],
    [
      'atoll rehearse generated/ --report working-dir/mirrored.json --nodes 9 --nic 25G --disk 2G',
      'and how long the pulls of nine nodes take',
    ],
  ],
  async run(ctx, { args, options, terminal }): Promise<RehearsalResult> {
    const { config, options: run } = await rehearseInput(args.rest, options);
    return await runRehearsal(ctx, config, {
      ...run,
      namespacePlan: terminal.env[NAMESPACE_VARIABLE],
      isolate: options.isolate ? sameAgain(args.rest, options) : undefined,
    });
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

/** The same command line for the process in the namespace. */
function sameAgain(folders: readonly string[], flags: RehearseFlags) {
  const { file, args } = selfCommand();
  const own = argumentsOf({ ...flags, isolate: false }, REHEARSE_OPTIONS);
  return { file, args: [...args, 'rehearse', '--output', 'json', ...own, ...folders] };
}
