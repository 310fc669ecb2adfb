import { join } from 'node:path';
import { type Site, sitePath } from './read-site.ts';

// <folder of the site file>/.atoll/
//   journal.ndjson, inventory.ndjson, lock
//   runs/<id>/events.ndjson
//   steps/<stage>/, logs/<stage>.log
//   secrets/    0700: pull secrets and credentials
//   registry/   the embedded registry
//   mirror/     working-dir of the images stage
//   bundle/     what crosses the gap, with flow: bundle
//   tools/      atoll, oc, openshift-install
//   install/    install-config.yaml and all that goes with it

/** Where a site keeps what. */
export interface SitePaths {
  readonly state: string;
  readonly journal: string;
  readonly inventory: string;
  readonly lock: string;
  readonly runs: string;
  /** The upstream pull secret, as it was given. */
  readonly upstreamSecret: string;
  /** Credentials for the mirror alone: what nodes get. */
  readonly mirrorSecret: string;
  /** Both: what the images stage uses. */
  readonly mergedSecret: string;
  /** Login of the proxy on the bastion. */
  readonly proxySecret: string;
  readonly registry: string;
  readonly mirror: string;
  readonly bundle: string;
  readonly tools: string;
  readonly install: string;
}

export function sitePaths(
  site: Pick<Site, 'directory' | 'state' | 'mirror' | 'registry'>,
): SitePaths {
  const { state, mirror, registry } = site;
  const at = (...names: readonly string[]) => join(state, ...names);
  const given = (path: string | undefined) => (path === undefined ? path : sitePath(site, path));
  return {
    state,
    journal: at('journal.ndjson'),
    inventory: at('inventory.ndjson'),
    lock: at('lock'),
    runs: at('runs'),
    upstreamSecret: at('secrets', 'upstream.json'),
    mirrorSecret: at('secrets', 'mirror.json'),
    mergedSecret: at('secrets', 'merged.json'),
    proxySecret: at('secrets', 'proxy.json'),
    registry: given(registry.storage) ?? at('registry'),
    mirror: at('mirror'),
    bundle: given(mirror.bundle) ?? at('bundle'),
    tools: at('tools'),
    install: at('install'),
  };
}
