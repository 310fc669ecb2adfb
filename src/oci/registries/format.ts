import type { Mirror, RegistryTable } from './model.ts';

export interface RegistriesText {
  readonly tables: readonly RegistryTable[];
  /** Where short names are looked up. */
  readonly unqualifiedSearch: readonly string[];
}

/** `registries.conf` in version 2. Same input, same bytes. */
export function formatRegistriesConf({ tables, unqualifiedSearch }: RegistriesText): string {
  const head = [
    `unqualified-search-registries = [${unqualifiedSearch.map(quote).join(', ')}]`,
    'short-name-mode = ""',
  ].join('\n');
  return `${[head, ...tables.map(formatTable)].join('\n\n')}\n`;
}

function formatTable(table: RegistryTable): string {
  const { prefix, location } = table;
  const lines = [
    '[[registry]]',
    ...(prefix === location ? [] : [`prefix = ${quote(prefix)}`]),
    ...(location === undefined ? [] : [`location = ${quote(location)}`]),
    ...(table.insecure ? ['insecure = true'] : []),
    ...(table.blocked ? ['blocked = true'] : []),
    ...(table.mirrorByDigestOnly ? ['mirror-by-digest-only = true'] : []),
  ];
  return [lines, ...table.mirrors.map(mirrorLines)].map((block) => block.join('\n')).join('\n\n');
}

function mirrorLines({ location, insecure, pullFromMirror }: Mirror): string[] {
  return [
    '  [[registry.mirror]]',
    `  location = ${quote(location)}`,
    ...(insecure ? ['  insecure = true'] : []),
    ...(pullFromMirror === undefined ? [] : [`  pull-from-mirror = ${quote(pullFromMirror)}`]),
  ];
}

/** A JSON string is a TOML basic string. */
const quote = (text: string): string => JSON.stringify(text);
