import { relative } from 'node:path';
import { readText } from '../../core/files.ts';
import { isObject } from '../../core/shape.ts';
import type { InstallConfig } from '../../generate/install-config/schema.ts';
import { coversLocation, type MirrorRule, type SourcePolicy } from '../../generate/mirror-rule.ts';
import { type NamedRules, readMirrorSets } from '../../generate/mirror-set-migration.ts';
import { registriesConf } from '../../generate/registries-conf.ts';
import { readYaml } from '../../generate/yaml.ts';
import type { RegistriesConf } from '../../remote/config/registries-conf.ts';
import {
  parseRegistriesConf,
  type RegistryRule,
} from '../../remote/config/registries-conf-parse.ts';

const KINDS = ['ImageDigestMirrorSet', 'ImageTagMirrorSet', 'ImageContentSourcePolicy'];

const SET_ORIGIN = 'mirror set ';

/** Files of mirror sets that rules came from: what commands can read them from again. */
export function setFilesOf(rules: readonly RegistryRule[]): string[] {
  const origins = rules.flatMap(({ file }) => file.split(' and '));
  const files = origins.flatMap((origin) =>
    origin.startsWith(SET_ORIGIN) ? (/" in (.+)$/.exec(origin)?.[1] ?? []) : [],
  );
  return [...new Set(files)];
}

/** Rules of one origin: a mirror set of a file, or the install-config. */
export interface RuleSet extends NamedRules {
  readonly origin: string;
}

/** The mirror sets among the objects of a file; other kinds are left alone. */
export async function readRuleSets(path: string): Promise<RuleSet[]> {
  const subject = `"${path}"`;
  return readYaml(await readText(path), subject)
    .flatMap(itemsOf)
    .filter((object) => isObject(object) && KINDS.includes(String(object.kind)))
    .flatMap((object) => readMirrorSets(JSON.stringify(object), subject))
    .map((set) => ({ ...set, origin: `${SET_ORIGIN}"${set.name}" in ${relative('.', path)}` }));
}

function itemsOf(document: unknown): unknown[] {
  const items = isObject(document) && String(document.kind).endsWith('List') && document.items;
  return Array.isArray(items) ? items : [document];
}

/** `imageDigestSources` of an install-config, or the older `imageContentSources`. */
export function installConfigRules(config: InstallConfig, path: string): RuleSet[] {
  const field = config.imageDigestSources ? 'imageDigestSources' : 'imageContentSources';
  const rules = (config[field] ?? []).map(
    ({ source, mirrors, sourcePolicy }): MirrorRule => ({
      source,
      mirrors: mirrors ?? [],
      ...(sourcePolicy ? { policy: sourcePolicy as SourcePolicy } : {}),
    }),
  );
  if (rules.length === 0) return [];
  return [{ name: field, pulls: 'digest', rules, origin: `${field} in ${path}` }];
}

/** What nodes are given for these sets, as the machine config operator writes it. */
export function confOfSets(sets: readonly RuleSet[]): RegistriesConf {
  const of = (pulls: 'digest' | 'tag') =>
    sets.filter((set) => set.pulls === pulls).flatMap(({ rules }) => rules);
  const text = registriesConf({ rules: of('digest'), tagRules: of('tag') });
  const registries = parseRegistriesConf('registries.conf', text).map((rule) => ({
    ...rule,
    file: originOf(rule, sets),
  }));
  return { registries, files: [...new Set(sets.map(({ origin }) => origin))] };
}

function originOf(rule: RegistryRule, sets: readonly RuleSet[]): string {
  const origins = sets
    .filter(({ rules }) => rules.some(({ source }) => source === rule.prefix))
    .map(({ origin }) => origin);
  return [...new Set(origins)].join(' and ');
}

/** All tables together; for a prefix that several have, the first file counts. */
export function joinConfs(confs: readonly RegistriesConf[]): RegistriesConf {
  const byPrefix = new Map<string, RegistryRule>();
  for (const { registries } of confs)
    for (const rule of registries) if (!byPrefix.has(rule.prefix)) byPrefix.set(rule.prefix, rule);
  return { registries: [...byPrefix.values()], files: confs.flatMap(({ files }) => files) };
}

export async function readConfFile(path: string): Promise<RegistriesConf> {
  return { registries: parseRegistriesConf(path, await readText(path)), files: [path] };
}

/** The table that decides for `host/repository`: the one with the longest prefix. */
export function ruleOf(conf: RegistriesConf, location: string): RegistryRule | undefined {
  return conf.registries
    .filter(({ prefix }) => coversLocation(prefix, location))
    .toSorted((a, b) => b.prefix.length - a.prefix.length)[0];
}

/** A table in one line: what it says, and where. */
export function formatRule({ prefix, mirrors, mirrorByDigestOnly, file, blocked }: RegistryRule) {
  const only = mirrorByDigestOnly || mirrors.every((one) => one.pullFromMirror === 'digest-only');
  const tags = mirrors.length > 0 && mirrors.every((one) => one.pullFromMirror === 'tag-only');
  const pulls = mirrors.length === 0 ? '' : tags ? ', tags only' : only ? ', digests only' : '';
  const targets = mirrors.map(({ location }) => location).join(', ') || 'no mirror';
  return `${prefix} → ${targets} (${file}${pulls}${blocked ? ', source blocked' : ''})`;
}
