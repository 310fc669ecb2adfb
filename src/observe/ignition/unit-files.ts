import type { IgnitionFile, IgnitionUnit, ParsedIgnition } from './config.ts';
import { generatorOf, unitsOfGenerators } from './generators.ts';

/** A unit a machine will have, wherever in the config it stands. */
export interface KnownUnit extends IgnitionUnit {
  /** The generator that makes it the default target: it comes before everything else. */
  readonly startedBy?: string | undefined;
  /** The generator that has something want it. */
  readonly linkedBy?: string | undefined;
  /** The generator that has its text. */
  readonly writtenBy?: string | undefined;
}

const UNIT_FILE =
  /^\/(?:etc|run|usr\/lib)\/systemd\/system\/(?<name>[^/]+\.(?:service|socket|target|mount|timer|path|slice|swap|automount))$/;
const DROP_IN =
  /^\/(?:etc|run|usr\/lib)\/systemd\/system\/(?<unit>[^/]+)\.d\/(?<name>[^/]+\.conf)$/;
const ENABLING_LINK =
  /^\/(?:etc|run|usr\/lib)\/systemd\/system\/[^/]+\.(?:wants|requires)\/(?<name>[^/]+)$/;
const QUADLET =
  /^\/(?:etc|usr\/share)\/containers\/systemd\/(?:[^/]+\/)?(?<name>[^/]+)\.(?<type>container|kube|volume|network|pod|image|build)$/;
/** Quadlets whose service has their kind in its name. */
const WITH_SUFFIX = new Set(['volume', 'network', 'pod', 'image', 'build']);

/** Files that are units, parts of units or make units: they are told as such and not as files. */
export const isUnitFile = ({ path }: IgnitionFile): boolean =>
  [UNIT_FILE, DROP_IN, QUADLET].some((pattern) => pattern.test(path));

/** All units of a config: those it declares, brings as files or has generators write, and the quadlets podman makes units of. */
export function unitsOf(config: ParsedIgnition, files: readonly IgnitionFile[]): KnownUnit[] {
  const units = new Map<string, KnownUnit>();
  const add = (part: KnownUnit) => units.set(part.name, joined(units.get(part.name), part));
  for (const unit of config.systemd?.units ?? []) add(unit);
  for (const file of files) for (const part of partsOf(file)) add(part);
  const made = unitsOfGenerators(files);
  for (const part of made.filter(({ writtenBy }) => writtenBy)) add(part);
  for (const part of [
    ...linked(config),
    ...made.filter(({ writtenBy }) => !writtenBy),
    ...defaults(files),
  ]) {
    if (part.mask || units.has(part.name)) add(part);
  }
  return [...units.values()];
}

/** What several places of a config say about one unit, taken together; its text is that of the first. */
function joined(unit: KnownUnit | undefined, part: KnownUnit): KnownUnit {
  return {
    ...unit,
    ...part,
    contents: unit?.contents ?? part.contents,
    dropins: [...(unit?.dropins ?? []), ...(part.dropins ?? [])],
  };
}

function partsOf({ path, content }: IgnitionFile): KnownUnit[] {
  const contents = content?.toString('utf8') ?? '';
  const name = UNIT_FILE.exec(path)?.groups?.name;
  const dropin = DROP_IN.exec(path)?.groups;
  const quadlet = QUADLET.exec(path)?.groups;
  return [
    ...(name ? [{ name, contents }] : []),
    ...(dropin?.unit
      ? [{ name: dropin.unit, dropins: [{ name: dropin.name ?? '', contents }] }]
      : []),
    ...(quadlet ? [{ name: serviceOf(quadlet), contents, enabled: isWanted(contents) }] : []),
  ];
}

/** What links do: those of "systemctl enable", and of "systemctl mask". */
function linked(config: ParsedIgnition): KnownUnit[] {
  return (config.storage?.links ?? []).flatMap(({ path, target }) => {
    const enabled = ENABLING_LINK.exec(path)?.groups?.name;
    const own = target === '/dev/null' ? UNIT_FILE.exec(path)?.groups?.name : undefined;
    return [
      ...(enabled ? [{ name: enabled, enabled: true }] : []),
      ...(own ? [{ name: own, mask: true }] : []),
    ];
  });
}

const serviceOf = ({ name, type = '' }: Readonly<Record<string, string>>): string =>
  `${name}${WITH_SUFFIX.has(type) ? `-${type}` : ''}.service`;

/** The generator of podman enables what has a section saying so; nobody runs "systemctl enable" on a quadlet. */
const isWanted = (contents: string): boolean => /^\s*(?:WantedBy|RequiredBy)\s*=/m.test(contents);

/** Targets that a generator makes the default: what they pull in runs before everything else. */
function defaults(files: readonly IgnitionFile[]): KnownUnit[] {
  return files.flatMap((file) => {
    const startedBy = generatorOf(file);
    const text = file.content?.toString('utf8') ?? '';
    if (!startedBy || !text.includes('default.target')) return [];
    const targets = [...text.matchAll(/\/systemd\/system\/([\w@.-]+\.target)\b/g)];
    return targets.map(([, name = '']) => ({ name, startedBy }));
  });
}
