import type { IgnitionUnit } from './config.ts';

export interface UnitSummary {
  readonly name: string;
  readonly description?: string;
  /** How it comes to run: enabled, pulled in by another unit of the config, masked, or not from here. */
  readonly started: 'enabled' | 'masked' | 'not by this config' | `by ${string}`;
  readonly runs: readonly string[];
  readonly after: readonly string[];
  readonly restart?: string;
}

type Settings = ReadonlyMap<string, readonly string[]>;

interface Parsed {
  readonly unit: IgnitionUnit;
  readonly settings: Settings;
}

/** The units of a config in the order systemd would start them, as far as the config tells. */
export function unitsInBootOrder(units: readonly IgnitionUnit[]): UnitSummary[] {
  const parsed = units.map((unit) => ({ unit, settings: settingsOf(unit) }));
  return sorted(parsed).map((one) => summaryOf(one, parsed));
}

/** `Key=Value` lines of the unit and its drop-ins; lists are split, an empty value starts anew. */
function settingsOf(unit: IgnitionUnit): Settings {
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

const LISTS = new Set([
  'After',
  'Before',
  'Requires',
  'Wants',
  'BindsTo',
  'WantedBy',
  'RequiredBy',
]);

/** Stable topological order: a cycle is cut where it is met, as systemd does. */
function sorted(parsed: readonly Parsed[]): Parsed[] {
  const byName = new Map(parsed.map((one) => [one.unit.name, one]));
  const before = (one: Parsed): string[] => [
    ...(one.settings.get('After') ?? []),
    ...parsed
      .filter(({ settings }) => settings.get('Before')?.includes(one.unit.name))
      .map(({ unit }) => unit.name),
  ];
  const done = new Set<string>();
  const order: Parsed[] = [];
  const visit = (one: Parsed): void => {
    if (done.has(one.unit.name)) return;
    done.add(one.unit.name);
    for (const name of before(one)) {
      const earlier = byName.get(name);
      if (earlier) visit(earlier);
    }
    order.push(one);
  };
  for (const one of parsed) visit(one);
  return order;
}

function summaryOf({ unit, settings }: Parsed, all: readonly Parsed[]): UnitSummary {
  const [description] = settings.get('Description') ?? [];
  const [restart] = settings.get('Restart') ?? [];
  return {
    name: unit.name,
    ...(description === undefined ? {} : { description }),
    started: startedBy(unit, all),
    runs: ['ExecStartPre', 'ExecStart'].flatMap((key) => settings.get(key) ?? []),
    after: settings.get('After') ?? [],
    ...(restart === undefined ? {} : { restart }),
  };
}

function startedBy(unit: IgnitionUnit, all: readonly Parsed[]): UnitSummary['started'] {
  if (unit.mask) return 'masked';
  if (unit.enabled) return 'enabled';
  const owner = all.find(({ settings }) =>
    ['Requires', 'Wants', 'BindsTo'].some((key) => settings.get(key)?.includes(unit.name)),
  );
  return owner ? `by ${owner.unit.name}` : 'not by this config';
}
