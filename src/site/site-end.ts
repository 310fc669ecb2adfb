import { dirname, join } from 'node:path';
import { shellLine } from '../core/format.ts';
import type { JsonObject } from '../core/json.ts';
import { hasMirror, mirrorLocation } from './mirror-place.ts';
import type { StageWork } from './stages/stage.ts';

/** What somebody wants to know whose cluster has just come up. */
export interface SiteEnd {
  /** Undefined where the cluster was installed without a console. */
  readonly console: string | undefined;
  readonly api: string;
  readonly kubeconfig: string;
  readonly user: string;
  /** The file that holds the password: the password itself is shown nowhere. */
  readonly passwordFile: string;
  /** Undefined where the site has none. */
  readonly mirror: string | undefined;
  readonly next: readonly string[];
}

/** The end of an `up`; undefined where no cluster that can be logged in to came of it. */
export function siteEnd(
  { site }: Pick<StageWork, 'site'>,
  outputs: Readonly<Record<string, JsonObject>>,
): SiteEnd | undefined {
  const kubeconfig = outputs.cluster?.kubeconfig;
  if (typeof kubeconfig !== 'string' || outputs.verify === undefined) return undefined;
  const { name, baseDomain, disabledCapabilities } = site.cluster;
  const domain = `${name}.${baseDomain}`;
  const hasConsole = !disabledCapabilities.includes('Console');
  return {
    console: hasConsole ? `https://console-openshift-console.apps.${domain}` : undefined,
    api: `https://api.${domain}:6443`,
    kubeconfig,
    user: 'kubeadmin',
    passwordFile: join(dirname(kubeconfig), 'kubeadmin-password'),
    mirror: hasMirror(site) ? mirrorLocation(site) : undefined,
    next: [
      `${shellLine(['export', `KUBECONFIG=${kubeconfig}`])} && oc get nodes`,
      'atoll verify: looks again, whenever you like',
      'atoll up --only images --fresh && atoll apply: after a change of what is mirrored',
      ...(site.mode === 'private'
        ? ['atoll down --temporary: removes what only the install needed']
        : []),
    ],
  };
}
