import { START_ORDER } from '../../openshift/bootstrap/steps.ts';
import type { KnownUnit } from './unit-files.ts';

export interface UnitSummary {
  readonly name: string;
  readonly description?: string;
  /** How it comes to run: enabled, pulled in by a unit or generator of the config, masked, or not from here. */
  readonly started: 'enabled' | 'masked' | 'not by this config' | `by ${string}`;
  /** The generator that writes it, where the config does not have it itself. */
  readonly writtenBy?: string;
  readonly runs: readonly string[];
  readonly after: readonly string[];
  readonly restart?: string;
}

type Settings = ReadonlyMap<string, readonly string[]>;

interface Parsed {
  readonly unit: KnownUnit;
  readonly settings: Settings;
}

/** The units of a config in the order systemd would start them, as far as the config tells. */
export function unitsInBootOrder(units: readonly KnownUnit[]): UnitSummary[] {
  const parsed = units.map((unit) => ({ unit, settings: settingsOf(unit) }));
  return sorted(parsed).map((one) => summaryOf(one, parsed));
}

/** `Key=Value` lines of the unit and its drop-ins; lists are split, an empty value starts anew. */
function settingsOf(unit: KnownUnit): Settings {
  const settings = new Map<string, string[]>();
  const texts = [
    unit.contents ?? '',
    ...(unit.dropins ?? []).map(({ contents }) => contents ?? ''),
  ];
  for (const line of texts
    .join('\n')
    .replace(/\\\n\s*/g, ' ')
    .split('\n')) {
    const [, key, value] = /^([A-Za-z]+)\s*=\s*(.*)$/.exec(line.trim()) ?? [];
    if (key === undefined) continue;
    const values = LISTS.has(key) ? (value ?? '').split(/\s+/) : [value ?? ''];
    settings.set(key, value === '' ? [] : [...(settings.get(key) ?? []), ...values]);
  }
  return settings;
}

const PULLS = ['Requires', 'Wants', 'BindsTo'] as const;
const LISTS = new Set<string>(['After', 'Before', ...PULLS, 'WantedBy', 'RequiredBy']);

/**
 * Stable topological order: a cycle is cut where it is met, as systemd does. Units the config does not have
 * count on the way: crio-configure comes before crio, and kubelet after it. What a generator makes the
 * default target runs first, and with it all that it pulls in.
 */
function sorted(parsed: readonly Parsed[]): Parsed[] {
  const byName = new Map(parsed.map((one) => [one.unit.name, one]));
  const before = predecessors(parsed);
  const done = new Set<string>();
  const order: Parsed[] = [];
  const visit = (name: string): void => {
    if (done.has(name)) return;
    done.add(name);
    for (const earlier of before.get(name) ?? []) visit(earlier);
    const one = byName.get(name);
    if (one) order.push(one);
  };
  const first = parsed.filter(({ unit }) => unit.startedBy !== undefined);
  for (const name of pulledIn(first, byName)) visit(name);
  for (const { unit } of parsed) visit(unit.name);
  return order;
}

type Predecessors = Map<string, string[]>;

/** What has to be started before each unit, whether or not the config has either. */
function predecessors(parsed: readonly Parsed[]): Predecessors {
  const before: Predecessors = new Map();
  const add = (later: string, earlier: string) =>
    before.set(later, [...(before.get(later) ?? []), earlier]);
  for (const { unit, settings } of parsed) {
    for (const earlier of settings.get('After') ?? []) add(unit.name, earlier);
    for (const later of settings.get('Before') ?? []) add(later, unit.name);
  }
  // The config may not say it: what is known of these units is added where it does not say otherwise.
  const known = START_ORDER.map((name) => `${name}.service`);
  for (const [at, later] of known.entries()) {
    for (const earlier of known.slice(0, at)) {
      if (!comesBefore(later, earlier, before)) add(later, earlier);
    }
  }
  return before;
}

/** Whether one has to be started before the other, also by way of others. */
function comesBefore(first: string, second: string, before: Predecessors): boolean {
  const seen = new Set<string>();
  const open = [second];
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (name === first) return true;
    if (seen.has(name)) continue;
    seen.add(name);
    open.push(...(before.get(name) ?? []));
  }
  return false;
}

/** These units and all they pull in, what is pulled in first: a target is reached when all of it is there. */
function pulledIn(units: readonly Parsed[], byName: ReadonlyMap<string, Parsed>): string[] {
  const found = new Set<string>();
  const seen = new Set<string>();
  const walk = ({ unit, settings }: Parsed): void => {
    if (seen.has(unit.name)) return;
    seen.add(unit.name);
    for (const name of PULLS.flatMap((key) => settings.get(key) ?? [])) {
      const pulled = byName.get(name);
      if (pulled) walk(pulled);
    }
    found.add(unit.name);
  };
  for (const one of units) walk(one);
  return [...found];
}

function summaryOf({ unit, settings }: Parsed, all: readonly Parsed[]): UnitSummary {
  const [description] = settings.get('Description') ?? [];
  const [restart] = settings.get('Restart') ?? [];
  return {
    name: unit.name,
    ...(description === undefined ? {} : { description }),
    started: startedBy(unit, all),
    ...(unit.writtenBy === undefined ? {} : { writtenBy: unit.writtenBy }),
    runs: [
      ...['ExecStartPre', 'ExecStart'].flatMap((key) => settings.get(key) ?? []),
      ...containerOf(settings),
    ],
    after: settings.get('After') ?? [],
    ...(restart === undefined ? {} : { restart }),
  };
}

/** What podman runs for a quadlet. */
function containerOf(settings: Settings): string[] {
  const [image] = settings.get('Image') ?? [];
  const command = settings.get('Exec') ?? [];
  return image === undefined ? [] : [['podman run', image, ...command].join(' ')];
}

function startedBy(unit: KnownUnit, all: readonly Parsed[]): UnitSummary['started'] {
  if (unit.mask) return 'masked';
  if (unit.startedBy) return `by ${unit.startedBy}`;
  if (unit.enabled) return 'enabled';
  if (unit.linkedBy) return `by ${unit.linkedBy}`;
  const owner = all.find(({ settings }) =>
    PULLS.some((key) => settings.get(key)?.includes(unit.name)),
  );
  return owner ? `by ${owner.unit.name}` : 'not by this config';
}
