import type { Catalog, Package } from '../model/catalog.ts';
import { headsOf } from './channel-graph.ts';
import type { Reason, SelectedPackage, Selection } from './selection.ts';

/** The whole catalog as it is, faults included: it is not written again, only its images are needed. */
export function selectEverything({ packages }: Catalog): Selection {
  return {
    packages: [...packages.values()].map(wholePackage),
    warnings: [],
    failures: [],
    unmet: [],
  };
}

function wholePackage(from: Package): SelectedPackage {
  const reasons = new Map<string, Reason[]>();
  for (const { name: channel, entries } of from.channels.values()) {
    for (const { name } of entries) {
      reasons.set(name, [...(reasons.get(name) ?? []), { kind: 'all', channel }]);
    }
  }
  const channels = [...from.channels.values()].map(({ name, entries }) => ({
    name,
    head: headsOf(entries)[0] ?? '',
    entries,
  }));
  return {
    name: from.name,
    defaultChannel: from.defaultChannel,
    channels,
    bundles: [...from.bundles.keys()].map((name) => ({
      name,
      package: from.name,
      reasons: reasons.get(name) ?? [{ kind: 'all', channel: from.defaultChannel }],
    })),
    isDependency: false,
  };
}
