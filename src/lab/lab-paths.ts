import { join } from 'node:path';

// <lab>/
//   lock
//   upstream/     what the internet would hold: a registry, graph, signatures, keys
//   site/         atoll.yaml, pull-secret.json and .atoll/, as any site has them
//   report.html   what the last run showed

/** Where a lab keeps what. */
export interface LabPaths {
  readonly lock: string;
  readonly upstream: string;
  readonly upstreamPidFile: string;
  readonly site: string;
  readonly siteFile: string;
  readonly report: string;
}

export function labPaths(directory: string): LabPaths {
  const upstream = join(directory, 'upstream');
  const site = join(directory, 'site');
  return {
    lock: join(directory, 'lock'),
    upstream,
    upstreamPidFile: join(upstream, 'registry.pid'),
    site,
    siteFile: join(site, 'atoll.yaml'),
    report: join(directory, 'report.html'),
  };
}

// In the .atoll folder of its site:
//   machines/<name>/   the file system of one machine
//   machines/board/    the cluster between them
//   log-bundle/        their logs, as "gather bootstrap" would leave them

export const machinesOf = (state: string): string => join(state, 'machines');
export const boardOf = (state: string): string => join(machinesOf(state), 'board');
export const logBundleOf = (state: string): string => join(state, 'log-bundle');
