import { formatBytes, formatDuration } from '../../core/format.ts';
import { hostOf } from '../../oci/registries/location.ts';
import type { RegistriesConf } from '../../oci/registries/model.ts';
import type { ImageCheck } from '../check/image-checker.ts';
import type { Model } from './model.ts';
import type { PullPhase } from './shares.ts';

/** What takes load off the mirror, and how much: of what is configured, and of what could be. */
export function reliefOf(
  conf: RegistriesConf,
  plan: readonly PullPhase[],
  model: Model | undefined,
): string[] {
  return [...mirrorRelief(conf, model), ...pinnedRelief(plan)];
}

/** Nodes ask the mirrors of a rule in order, so a second one is for the day on which the first is gone. */
function mirrorRelief({ registries }: RegistriesConf, model: Model | undefined): string[] {
  const rules = registries
    .map(({ mirrors }) => [...new Set(mirrors.map(({ location }) => hostOf(location)))])
    .filter((hosts) => hosts.length > 1);
  const [first] = rules;
  const spent = model
    ? `, ${formatDuration(model.seconds * 1000)} with ${model.nodes} machines`
    : '';
  if (!first)
    return [
      `One mirror in each rule: nodes stand still while it is away. A second one (--also-at of "atoll mirror sync") answers then.`,
    ];
  const [asked, ...others] = first;
  return [
    `Rules name ${first.length} mirrors: all nodes ask ${asked}, so pulling takes as long as with one${spent}; ${others.join(', ')} answer when it does not.`,
  ];
}

/** Bytes of the release that nodes would have, had they been pinned before an update. */
function pinnedRelief(plan: readonly PullPhase[]): string[] {
  const nodes = plan.flatMap((phase) => (phase.role === 'bootstrap' ? [] : phase.nodes));
  const bytesOf = (checks: readonly ImageCheck[]) =>
    [...new Map(checks.flatMap(({ blobs }) => blobs.map(({ digest, size }) => [digest, size])))]
      .map(([, size]) => size)
      .reduce((sum, size) => sum + size, 0);
  const all = nodes.reduce((sum, { images }) => sum + bytesOf(images), 0);
  const pinned = nodes.reduce(
    (sum, { images }) =>
      sum +
      bytesOf(images.filter(({ image }) => image.kind === 'release' || image.kind === 'component')),
    0,
  );
  if (pinned === 0) return [];
  const share = Math.round((pinned / all) * 100);
  return [
    `An update to this release pulls ${formatBytes(pinned)} of ${formatBytes(all)} (${share} %) while nodes wait; pinned before ("atoll render pinned-images") it pulls none of that.`,
  ];
}
