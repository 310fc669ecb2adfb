import { titleOf } from '../../cluster/api/object.ts';
import { type ApplyResult, applyAll } from '../../cluster/apply/apply.ts';
import { readObjects } from '../../cluster/apply/read-objects.ts';
import { withCluster } from '../../cluster/connect.ts';
import { AtollError } from '../../core/errors.ts';
import { counted } from '../../core/format.ts';
import { clusterObjects } from '../../site/cluster-objects.ts';
import type { SiteInputs } from '../../site/inputs.ts';
import { CLUSTER_OPTIONS, kubeconfigFor, siteIfAny } from '../cluster-options.ts';
import { defineCommand } from '../command.ts';
import { number, onOff } from '../flags.ts';

const MINUTE_MS = 60_000;

export const applyCommand = defineCommand({
  name: 'apply',
  summary: 'Bring what mirroring wrote to a running cluster, and wait until its nodes have it',
  description:
    'Mirror sets, catalogs, signatures, trust, samples and update service, each after what it needs, by ' +
    'server-side apply as field manager "atoll": a field that somebody else manages is not changed but told. ' +
    'Run it again after every sync; what is already there stays as it is. Without PATH it applies what the ' +
    'site wrote.',
  arguments: [
    {
      name: 'path',
      summary: 'Manifests, or folders of them such as working-dir/cluster-resources',
      optional: true,
      variadic: true,
    },
  ],
  options: {
    ...CLUSTER_OPTIONS,
    force: onOff('Take over fields that others manage'),
    prune: onOff('Remove what was applied earlier and is not wanted any more'),
    dryRun: onOff('Let the cluster check everything, and change nothing'),
    wait: onOff('Do not wait for pools and catalogs', { default: true }),
    timeout: number('MINUTES', 'How long the machine config pools may take', { default: 60 }),
  },
  examples: {
    'atoll apply': 'what the site in atoll.yaml wrote, to its cluster',
    'atoll apply working-dir/cluster-resources --kubeconfig auth/kubeconfig': 'a folder',
    'atoll apply --dry-run': 'whether the cluster would take it',
    'atoll apply --prune': 'and remove catalogs and mirror sets that are gone',
  },
  async run(ctx, input): Promise<ApplyResult> {
    const { options, args, terminal } = input;
    const site = await siteIfAny(input);
    const objects = await objectsFor(args.rest, site);
    const kubeconfig = await kubeconfigFor(ctx, input, site);
    const pools = { timeoutMs: options.timeout * MINUTE_MS };
    const catalogs = { timeoutMs: 10 * MINUTE_MS };
    return await withCluster(
      ctx,
      { kubeconfig, context: options.context, env: terminal.env },
      (to) =>
        applyAll(ctx, to, objects, {
          force: options.force,
          dryRun: options.dryRun,
          wait: options.wait ? { pools, catalogs } : undefined,
          prune: options.prune
            ? (gone) => terminal.confirm(`Remove ${gone.map(titleOf).join(', ')} from the cluster?`)
            : undefined,
        }),
    );
  },
  text: ({ server, dryRun, objects, removed }, style) =>
    [
      `${style.bold(counted(objects.length, 'object'))} ${dryRun ? 'would go' : 'went'} to ${server}`,
      ...objects.map(({ object, result }) => `  ${result.padEnd(9)} ${object}`),
      ...removed.map((object) => `  ${dryRun ? 'to remove' : 'removed  '} ${object}`),
    ].join('\n'),
});

async function objectsFor(paths: readonly string[], site: SiteInputs | undefined) {
  if (paths.length > 0) return await readObjects(paths);
  const found = site ? await clusterObjects(site) : [];
  if (found.length > 0) return found;
  throw new AtollError('USAGE', 'Cannot run "apply": there is nothing to apply', {
    hint: 'Name a folder such as working-dir/cluster-resources, or a site with --site',
  });
}
