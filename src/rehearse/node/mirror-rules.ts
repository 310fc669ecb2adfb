import { relative } from 'node:path';
import { readText } from '../../core/files.ts';
import { isObject } from '../../core/shape.ts';
import { readYaml } from '../../core/yaml.ts';
import type { InstallConfig } from '../../generate/install-config/schema.ts';
import type { MirrorRule, SourcePolicy } from '../../generate/mirror-rule.ts';
import { type NamedRules, readMirrorSets } from '../../generate/mirror-set-migration.ts';
import { registryTables } from '../../generate/registries-conf.ts';
import {
  mergeFiles,
  type RegistriesConf,
  type RegistryRule,
  type RegistryTable,
  type RuleOrigin,
} from '../../oci/registries/model.ts';
import { parseRegistriesFile } from '../../oci/registries/parse.ts';

const KINDS = ['ImageDigestMirrorSet', 'ImageTagMirrorSet', 'ImageContentSourcePolicy'];

/** Files of mirror sets that rules came from: what commands can read them from again. */
export function setFilesOf(rules: readonly RegistryRule[]): string[] {
  const sets = rules.flatMap(({ origins }) => origins).filter(({ kind }) => kind === 'mirror-set');
  return [...new Set(sets.map(({ path }) => path))];
}

/** Rules of one origin: a mirror set of a file, or the install-config. */
export interface RuleSet extends NamedRules {
  readonly origin: RuleOrigin;
}

/** The mirror sets among the objects of a file; other kinds are left alone. */
export async function readRuleSets(path: string): Promise<RuleSet[]> {
  const subject = `"${path}"`;
  return readYaml(await readText(path), subject)
    .flatMap(itemsOf)
    .filter((object) => isObject(object) && KINDS.includes(String(object.kind)))
    .flatMap((object) => readMirrorSets(JSON.stringify(object), subject))
    .map((set) => ({
      ...set,
      origin: { kind: 'mirror-set', name: set.name, path: relative('.', path) },
    }));
}

function itemsOf(document: unknown): unknown[] {
  const items = isObject(document) && String(document.kind).endsWith('List') && document.items;
  return Array.isArray(items) ? items : [document];
}

/** `imageDigestSources` of an install-config, or the older `imageContentSources`. */
export function installConfigRules(config: InstallConfig, path: string): RuleSet[] {
  const name = config.imageDigestSources ? 'imageDigestSources' : 'imageContentSources';
  const rules = (config[name] ?? []).map(
    ({ source, mirrors, sourcePolicy }): MirrorRule => ({
      source,
      mirrors: mirrors ?? [],
      ...(sourcePolicy ? { policy: sourcePolicy as SourcePolicy } : {}),
    }),
  );
  if (rules.length === 0) return [];
  return [{ name, pulls: 'digest', rules, origin: { kind: 'install-config', name, path } }];
}

/** What nodes are given for these sets, as the machine config operator writes it. */
export function confOfSets(sets: readonly RuleSet[]): RegistriesConf {
  const of = (pulls: 'digest' | 'tag') =>
    sets.filter((set) => set.pulls === pulls).flatMap(({ rules }) => rules);
  const tables = registryTables({ rules: of('digest'), tagRules: of('tag') });
  return {
    registries: tables.map((table) => ({ ...table, origins: originsOf(table, sets) })),
    files: [...new Set(sets.map(({ origin }) => origin.path))],
  };
}

function originsOf({ prefix }: RegistryTable, sets: readonly RuleSet[]): RuleOrigin[] {
  return sets
    .filter(({ rules }) => rules.some(({ source }) => source === prefix))
    .map(({ origin }) => origin);
}

/** All tables together; for a prefix that several have, the first file counts. */
export function joinConfs(confs: readonly RegistriesConf[]): RegistriesConf {
  const byPrefix = new Map<string, RegistryRule>();
  for (const { registries } of confs)
    for (const rule of registries) if (!byPrefix.has(rule.prefix)) byPrefix.set(rule.prefix, rule);
  return { registries: [...byPrefix.values()], files: confs.flatMap(({ files }) => files) };
}

export async function readConfFile(path: string): Promise<RegistriesConf> {
  return mergeFiles([parseRegistriesFile(path, await readText(path))]);
}

/** A table in one line: what it says, and where. */
export function formatRule({ prefix, mirrors, mirrorByDigestOnly, ...rule }: RegistryRule): string {
  const only = mirrorByDigestOnly || mirrors.every((one) => one.pullFromMirror === 'digest-only');
  const tags = mirrors.length > 0 && mirrors.every((one) => one.pullFromMirror === 'tag-only');
  const pulls = mirrors.length === 0 ? '' : tags ? ', tags only' : only ? ', digests only' : '';
  const targets = mirrors.map(({ location }) => location).join(', ') || 'no mirror';
  const said = formatOrigins(rule.origins).join(' and ');
  return `${prefix} → ${targets} (${said}${pulls}${rule.blocked ? ', source blocked' : ''})`;
}

/** Each origin once, in words. */
export function formatOrigins(origins: readonly RuleOrigin[]): string[] {
  return [...new Set(origins.map(formatOrigin))];
}

function formatOrigin({ kind, name, path }: RuleOrigin): string {
  if (kind === 'registries-conf') return path;
  return kind === 'mirror-set' ? `mirror set "${name}" in ${path}` : `${name} in ${path}`;
}
