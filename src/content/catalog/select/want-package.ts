import { AtollError } from '../../../core/errors.ts';
import { nearest } from '../../../core/nearest.ts';
import type { CollectWarning } from '../../content-image.ts';
import type { OperatorPackage } from '../../image-set/image-set.ts';
import type { Catalog, Channel, Package } from '../model/catalog.ts';
import { compareVersions } from '../model/version-range.ts';
import { addWant, type ChannelWants, type PackageWants } from './selection.ts';
import { wantChannel } from './want-channel.ts';
import { formatBounds, hasBounds, strangeBounds } from './wanted-range.ts';

export interface WantedPackage {
  readonly wants: PackageWants;
  readonly warnings: readonly CollectWarning[];
}

/** The package of this name, sound enough to be used. */
export function findPackage({ packages }: Catalog, name: string): Package {
  const found = packages.get(name);
  if (!found) {
    const near = nearest(name, packages.keys());
    throw new AtollError('INPUT_INVALID', `Cannot find package "${name}" in the catalog`, {
      hint: near ? `Did you mean "${near}"?` : `The catalog has ${listed([...packages.keys()])}`,
    });
  }
  if (found.problems.length === 0) return found;
  throw new AtollError(
    'CATALOG_INVALID',
    `Cannot use package "${name}": ${found.problems.join('; ')}`,
    { hint: 'Leave the package out, or tell who publishes the catalog' },
  );
}

/** What is asked of one package, channel by channel. */
export function wantPackage(from: Package, request: OperatorPackage, full: boolean): WantedPackage {
  const channels: ChannelWants = new Map();
  const asked = new Map(request.channels.map((channel) => [channel.name, channel]));
  if (request.defaultChannel !== undefined) findChannel(from, request.defaultChannel);
  for (const channel of channelsOf(from, request)) {
    const own = asked.get(channel.name);
    const bounds = own && hasBounds(own) ? own : request;
    const wanted = wantChannel(from, channel, { full, bounds });
    if (wanted.size === 0 && own) throw nothingIn(from, [channel], formatBounds(bounds));
    for (const [bundle, reason] of wanted) addWant(channels, bundle, reason);
  }
  if (channels.size === 0) {
    throw nothingIn(from, [...from.channels.values()], formatBounds(request));
  }
  return {
    wants: { channels, defaultChannel: request.defaultChannel, isDependency: false },
    warnings: boundWarnings(from, request),
  };
}

function channelsOf(from: Package, { channels }: OperatorPackage): readonly Channel[] {
  if (channels.length === 0) return [...from.channels.values()];
  return channels.map(({ name }) => findChannel(from, name));
}

export function findChannel(from: Package, name: string): Channel {
  const found = from.channels.get(name);
  if (found) return found;
  const names = [...from.channels.keys()];
  const near = nearest(name, names);
  throw new AtollError('INPUT_INVALID', `Cannot find channel "${name}" of "${from.name}"`, {
    hint: near ? `Did you mean "${near}"?` : `It has ${listed(names)}`,
  });
}

function nothingIn(from: Package, channels: readonly Channel[], range: string): AtollError {
  const where = channels.length === 1 ? `channel "${channels[0]?.name}" of ` : '';
  const names = new Set(channels.flatMap(({ entries }) => entries.map(({ name }) => name)));
  const versions = versionsOf(from, (name) => names.has(name));
  const shown = versions.map((version) => version.raw);
  return new AtollError('INPUT_INVALID', `Cannot find ${range} in ${where}"${from.name}"`, {
    hint: `It has ${listed(shown)}`,
  });
}

function versionsOf(from: Package, isWanted: (bundle: string) => boolean = () => true) {
  return [...from.bundles.values()]
    .flatMap(({ name, version }) => (version && isWanted(name) ? [version] : []))
    .toSorted((a, b) => compareVersions(b, a));
}

function boundWarnings(from: Package, request: OperatorPackage): CollectWarning[] {
  const versions = versionsOf(from);
  const bounds = [request, ...request.channels].flatMap((range) => strangeBounds(range, versions));
  return [...new Set(bounds)].map((bound) => {
    const near = nearest(
      bound,
      versions.map(({ raw }) => raw),
    );
    return {
      subject: `package ${from.name}`,
      message: `There is no version ${bound} of ${from.name}; it counts as a bound`,
      ...(near ? { hint: `Did you mean ${near}?` } : {}),
    };
  });
}

const MOST_SHOWN = 12;

function listed(names: readonly string[]): string {
  if (names.length === 0) return 'none';
  const rest = names.length - MOST_SHOWN;
  const shown = names.slice(0, MOST_SHOWN).join(', ');
  return rest > 0 ? `${shown} and ${rest} more` : shown;
}
