import { AtollError } from '../../../core/errors.ts';
import { byFirst } from '../../../core/order.ts';
import type { Package } from '../model/catalog.ts';
import { connectChannel } from './connect-channel.ts';
import type {
  PackageWants,
  Reason,
  SelectedBundle,
  SelectedChannel,
  SelectedPackage,
} from './selection.ts';
import { graphOf, unsound } from './want-channel.ts';

/** Turns what is wanted of a package into channels that can be served. */
export function settlePackage(from: Package, wants: PackageWants): SelectedPackage {
  const reasons = new Map<string, Reason[]>();
  const add = (bundle: string, more: readonly Reason[]) =>
    reasons.set(bundle, [...(reasons.get(bundle) ?? []), ...more]);
  const channels = [...wants.channels].toSorted(byFirst).map(([name, wanted]) => {
    const settled = settleChannel(from, name, new Set(wanted.keys()));
    for (const [bundle, why] of wanted) add(bundle, why);
    for (const bundle of settled.links) add(bundle, [{ kind: 'link', channel: name }]);
    return settled.channel;
  });
  return {
    name: from.name,
    defaultChannel: defaultChannelOf(
      from,
      wants,
      channels.map(({ name }) => name),
    ),
    channels,
    bundles: [...reasons].toSorted(byFirst).map(([name, why]) => bundleOf(from, name, why)),
    isDependency: wants.isDependency,
  };
}

function settleChannel(
  from: Package,
  name: string,
  wanted: ReadonlySet<string>,
): { readonly channel: SelectedChannel; readonly links: readonly string[] } {
  const channel = from.channels.get(name);
  if (!channel) throw new Error(`channel ${name} of ${from.name} was wanted and does not exist`);
  const connected = connectChannel(graphOf(from, channel), wanted);
  if ('fault' in connected) throw unsound(from, channel, connected.fault);
  const { head, entries, links } = connected;
  return { channel: { name, head, entries }, links };
}

function bundleOf(from: Package, name: string, reasons: readonly Reason[]): SelectedBundle {
  if (from.bundles.has(name)) return { name, package: from.name, reasons };
  throw new AtollError(
    'CATALOG_INVALID',
    `Cannot use "${name}" of "${from.name}": a channel names it, but the catalog has no such bundle`,
  );
}

/** The one that is asked for, else the one the catalog has; a filtered package must have it, too. */
function defaultChannelOf(from: Package, wants: PackageWants, kept: readonly string[]): string {
  const wanted = wants.defaultChannel ?? from.defaultChannel;
  if (kept.includes(wanted)) return wanted;
  // Dependencies have no entry in the image set to configure them.
  if (wants.isDependency && wants.defaultChannel === undefined) return kept.at(-1) as string;
  throw noDefaultChannel(from.name, wants, wanted, kept);
}

function noDefaultChannel(
  name: string,
  wants: PackageWants,
  wanted: string,
  kept: readonly string[],
): AtollError {
  const set = `Set "defaultChannel" of the package to ${kept.map((each) => `"${each}"`).join(' or ')}`;
  const hint = wanted === '' ? set : `${set}, or add "${wanted}" to its channels`;
  const left =
    wants.defaultChannel === undefined
      ? `its default channel "${wanted}" is not among the channels that are left`
      : `defaultChannel "${wanted}" has nothing that is left`;
  const found = wanted === '' ? 'the catalog names no default channel' : left;
  return new AtollError('INPUT_INVALID', `Cannot filter package "${name}": ${found}`, { hint });
}
