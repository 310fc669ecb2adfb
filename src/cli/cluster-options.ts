import { usualKubeconfig } from '../cluster/api/kubeconfig.ts';
import type { Context } from '../core/context.ts';
import { exists } from '../core/files.ts';
import { siteKubeconfig } from '../site/cluster-objects.ts';
import { type SiteInputs, siteInputs } from '../site/inputs.ts';
import { readSite } from '../site/read-site.ts';
import type { CommandInput, OptionSpec } from './command.ts';
import { text } from './flags.ts';
import { PLATFORMS } from './platforms.ts';
import { SITE_OPTION } from './site-options.ts';

export const CLUSTER_OPTIONS = {
  kubeconfig: text(
    'FILE',
    'Credentials of the cluster; else those of the site, KUBECONFIG, ~/.kube/config',
  ),
  context: text('NAME', 'Context of the kubeconfig'),
  ...SITE_OPTION,
} as const satisfies Readonly<Record<string, OptionSpec>>;

type ClusterInput = Pick<CommandInput<typeof CLUSTER_OPTIONS>, 'options' | 'given' | 'terminal'>;

/** The site of a command that can also do without one. */
export async function siteIfAny({
  options,
  given,
  terminal,
}: ClusterInput): Promise<SiteInputs | undefined> {
  if (!given.has('site') && !(await exists(options.site))) return undefined;
  return siteInputs(await readSite(options.site, terminal.env, PLATFORMS), 'so-far');
}

/** Which kubeconfig is meant, told where it was not named: it decides which cluster is changed. */
export async function kubeconfigFor(
  ctx: Context,
  { options, terminal }: ClusterInput,
  site: SiteInputs | undefined,
): Promise<string> {
  if (options.kubeconfig !== undefined) return options.kubeconfig;
  const own = site && siteKubeconfig(site);
  const found = own && (await exists(own)) ? own : usualKubeconfig(terminal.env);
  ctx.emit({ type: 'note.added', message: `Using the cluster in ${found}` });
  return found;
}
