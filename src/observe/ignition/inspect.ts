import { createHash } from 'node:crypto';
import { AtollError } from '../../core/errors.ts';
import { yamlDocuments } from '../../core/yaml.ts';
import { mergeFiles, type RegistriesFile, type RegistryRule } from '../../oci/registries/model.ts';
import { parseRegistriesFile } from '../../oci/registries/parse.ts';
import { type CertificateSummary, certificatesIn } from './certificates.ts';
import {
  contentOf,
  filesOf,
  type IgnitionFile,
  type ParsedIgnition,
  parseIgnition,
} from './config.ts';
import type { Inspected, Inspection, MirrorSummary } from './inspection.ts';
import { referencesIn } from './references.ts';
import { loginKeysOf, registriesIn, secretsOf } from './secrets.ts';
import { isUnitFile, type KnownUnit, unitsOf } from './unit-files.ts';
import { unitsInBootOrder } from './units.ts';
import { warningsFor } from './warnings.ts';

const MANIFEST = /^\/(?:var\/)?opt\/openshift\/(?:manifests|openshift)\/[^/]+\.(?:ya?ml|json)$/;
const REGISTRIES_CONF = /^\/etc\/containers\/registries\.conf(?:\.d\/[^/]+\.conf)?$/;
const CREDENTIALS = /(?:\.docker\/config\.json|containers\/auth\.json|\/kubelet\/config\.json)$/;
/** Sample shell code, licences and docs: the addresses in them are never contacted. */
const NO_REFERENCES = /^\/(?:usr\/share|etc\/motd|etc\/issue)/;

/** Tells what a machine will do with this Ignition config. No secret is part of the answer. */
export function inspectIgnition(name: string, text: string, now: Date): Inspection {
  const config = parseIgnition(name, text);
  const files = filesOf(config, name);
  const texts = new Map(files.map((file) => [file.path, file.content?.toString('utf8') ?? '']));
  const units = unitsOf(config, files);
  const references = [...texts]
    .filter(([path]) => !NO_REFERENCES.test(path))
    .flatMap(([path, content]) => referencesIn(path, content));
  const inUnits = (config.systemd?.units ?? []).flatMap((unit) =>
    referencesIn(unit.name, unit.contents ?? ''),
  );

  const { conf, unreadable } = registriesConfOf(texts);
  const inspected: Inspected = {
    version: config.ignition.version,
    kind: kindOf(config, texts, units),
    ...releaseImageOf(texts),
    fetches: fetchesOf(config),
    units: unitsInBootOrder(units),
    scripts: files.filter(isScript).map(scriptOf),
    mirrors: conf.registries.map(mirrorSummary),
    credentialsFor: [
      ...new Set(named(texts, CREDENTIALS).flatMap(([, one]) => registriesIn(one) ?? [])),
    ],
    certificates: [
      ...authoritiesOf(config, name, now),
      ...[...texts].flatMap(([path, one]) => certificatesIn(path, one, now)),
    ],
    manifests: named(texts, MANIFEST).flatMap(([path, one]) => manifestsIn(path, one)),
    secrets: secretsOf(files, config),
    loginKeys: loginKeysOf(config),
    otherFiles: files
      .filter((file) => !isScript(file) && !isUnitFile(file) && !MANIFEST.test(file.path))
      .map(({ path }) => path),
    references: [...references, ...inUnits],
    conf,
    unreadable,
    texts,
    now,
  };
  return { ...told(inspected), warnings: warningsFor(inspected) };
}

/** Without what is only there to make warnings from. */
function told({ references, conf, unreadable, texts, now, ...rest }: Inspected) {
  return rest;
}

/** The file and its drop-ins as a node reads them, in the order of their names. */
function registriesConfOf(
  texts: ReadonlyMap<string, string>,
): Pick<Inspected, 'conf' | 'unreadable'> {
  const files: RegistriesFile[] = [];
  const unreadable: string[] = [];
  for (const [path, text] of named(texts, REGISTRIES_CONF).toSorted()) {
    try {
      files.push(parseRegistriesFile(path, text));
    } catch (error) {
      if (!(error instanceof AtollError)) throw error;
      unreadable.push(error.message);
    }
  }
  return { conf: mergeFiles(files), unreadable };
}

function mirrorSummary({ prefix, mirrors, ...rule }: RegistryRule): MirrorSummary {
  const byDigest = mirrors.every(({ pullFromMirror }) => pullFromMirror === 'digest-only');
  return {
    source: prefix,
    mirrors: mirrors.map(({ location }) => location),
    digestOnly: rule.mirrorByDigestOnly || (mirrors.length > 0 && byDigest),
    blocked: rule.blocked,
    insecure: rule.insecure || mirrors.some(({ insecure }) => insecure),
  };
}

const named = (texts: ReadonlyMap<string, string>, pattern: RegExp): [string, string][] =>
  [...texts].filter(([path]) => pattern.test(path));

/** The address of the machine config server, which serves the rest of the config. */
const CONFIG_SERVER = /:2262[34]\/config\//;

function kindOf(
  config: ParsedIgnition,
  texts: ReadonlyMap<string, string>,
  units: readonly KnownUnit[],
): Inspection['kind'] {
  const hasBootkube = units.some(({ name }) => name === 'bootkube.service');
  if (hasBootkube || texts.has('/usr/local/bin/bootkube.sh')) return 'bootstrap';
  if (isPointer(config, texts.size + units.length)) return 'pointer';
  const encapsulated = texts.get('/etc/ignition-machine-config-encapsulated.json') ?? '';
  const role = /rendered-(master|worker)-/.exec(encapsulated)?.[1] ?? roleIn(texts);
  return role === 'master' || role === 'worker' ? role : 'other';
}

/** A pointer stays one when files are added to it: what it points at is still fetched. */
function isPointer(config: ParsedIgnition, parts: number): boolean {
  const sources = fetchesOf(config).map(({ source }) => source);
  const isReplaced = Boolean(config.ignition.config?.replace?.source);
  return sources.some((source) => parts === 0 || isReplaced || CONFIG_SERVER.test(source));
}

/** A rendered config names its pool in the label the kubelet registers with. */
function roleIn(texts: ReadonlyMap<string, string>): string | undefined {
  const all = [...texts.values()].join('\n');
  return /node-role\.kubernetes\.io\/(master|worker)/.exec(all)?.[1];
}

function releaseImageOf(texts: ReadonlyMap<string, string>): { releaseImage?: string } {
  const scripts = ['release-image.sh', 'release-image-download.sh', 'node-image-pull.sh'];
  for (const script of scripts) {
    const text = texts.get(`/usr/local/bin/${script}`) ?? '';
    const [image] = referencesIn(script, text).filter(({ kind }) => kind === 'image');
    if (image) return { releaseImage: image.text };
  }
  return {};
}

function fetchesOf(config: ParsedIgnition): Inspection['fetches'] {
  const { merge, replace } = config.ignition.config ?? {};
  return [...(replace ? [replace] : []), ...(merge ?? [])]
    .filter(({ source }) => source && !source.startsWith('data:'))
    .map(({ source, verification }) => ({
      source: source ?? '',
      verified: Boolean(verification?.hash),
    }));
}

function authoritiesOf(config: ParsedIgnition, name: string, now: Date): CertificateSummary[] {
  const authorities = config.ignition.security?.tls?.certificateAuthorities ?? [];
  return authorities.flatMap((one) => {
    const pem = contentOf(one, name)?.toString('utf8') ?? '';
    return certificatesIn('ignition.security.tls', pem, now);
  });
}

const isScript = (file: IgnitionFile): boolean =>
  (file.mode & 0o111) !== 0 || (file.content?.subarray(0, 2).toString('latin1') ?? '') === '#!';

function scriptOf({ path, content }: IgnitionFile): Inspection['scripts'][number] {
  const bytes = content ?? Buffer.alloc(0);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return { path, sizeBytes: bytes.length, sha256 };
}

function manifestsIn(path: string, text: string): Inspection['manifests'][number][] {
  return yamlDocuments(text, 'strict').flatMap(({ error, value }) => {
    if (error) return [{ path, kind: 'unreadable', name: '' }];
    const object = value() as { kind?: string; metadata?: { name?: string } } | null;
    const { kind, metadata } = object ?? {};
    return kind ? [{ path, kind, name: metadata?.name ?? '' }] : [];
  });
}
