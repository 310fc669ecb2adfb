import { byText, sortedUnique } from '../../core/order.ts';
import { digestOf } from '../../oci/digest.ts';
import type { FileEntry, IgnitionConfig, UnitEntry } from './config.ts';
import { lineDiff } from './line-diff.ts';
import { mergeIgnition } from './merge.ts';
import { contentsOf } from './read.ts';

export interface IgnitionPatch {
  readonly files?: readonly FileEntry[];
  readonly units?: readonly UnitEntry[];
}

export interface PatchChange {
  readonly kind: 'file' | 'unit';
  /** Path of the file or name of the unit. */
  readonly name: string;
  readonly action: 'added' | 'changed' | 'unchanged';
  /** Lines with ` `, `-` or `+` in front; only digests where the file is not for everyone to read. */
  readonly diff: readonly string[];
}

export interface PatchResult {
  readonly config: IgnitionConfig;
  readonly changes: readonly PatchChange[];
  /** What will not stay as it is written here. */
  readonly warnings: readonly string[];
}

/** Puts files and units into a config. A second time changes nothing. */
export function patchIgnition(config: IgnitionConfig, patch: IgnitionPatch): PatchResult {
  const overlay: IgnitionConfig = {
    ignition: { version: config.ignition.version },
    ...(patch.files?.length ? { storage: { files: patch.files } } : {}),
    ...(patch.units?.length ? { systemd: { units: patch.units } } : {}),
  };
  const patched = mergeIgnition(config, overlay);
  const files = (patch.files ?? []).map(({ path }) =>
    fileChange(path, fileOf(config, path), fileOf(patched, path)),
  );
  const units = (patch.units ?? []).map(({ name }) =>
    unitChange(name, unitOf(config, name), unitOf(patched, name)),
  );
  return {
    config: patched,
    changes: [...files, ...units].toSorted((a, b) => byText(a.name, b.name)),
    warnings: warningsOf(config, patch),
  };
}

/** Files the machine config server sends to every node. */
const SERVED = new Set([
  '/etc/containers/policy.json',
  '/etc/containers/registries.conf',
  '/etc/containers/storage.conf',
  '/etc/crio/crio.conf.d/00-default',
  '/etc/kubernetes/kubelet.conf',
  '/etc/mco/proxy.env',
  '/etc/node-sizing-enabled.env',
  '/etc/pki/ca-trust/source/anchors/openshift-config-user-ca-bundle.crt',
  '/var/lib/kubelet/config.json',
]);
/** Units whose text it sends; to mask them is another field, which stays. */
const SERVED_UNITS = new Set([
  'kubelet.service',
  'kubens.service',
  'machine-config-daemon-firstboot.service',
  'machine-config-daemon-pull.service',
  'node-valid-hostname.service',
  'nodeip-configuration.service',
  'ovs-configuration.service',
]);

/** A `master.ign` or `worker.ign` points to that server, and what is merged in wins. */
function warningsOf({ ignition }: IgnitionConfig, patch: IgnitionPatch): string[] {
  const { files = [], units = [] } = patch;
  const isPointer = (ignition.config?.merge ?? []).some(({ source }) => source?.startsWith('http'));
  const lost = [
    ...files.map(({ path }) => path).filter((path) => SERVED.has(path)),
    ...units.flatMap(({ name, contents }) =>
      contents !== undefined && SERVED_UNITS.has(name) ? [name] : [],
    ),
  ];
  if (!isPointer || lost.length === 0) return [];
  return [
    `${sortedUnique(lost).join(', ')}: the machine config server has its own, and the node will run with that one`,
  ];
}

/** As the installer writes it: one line. */
export function formatPatched(config: IgnitionConfig): string {
  return JSON.stringify(config);
}

const fileOf = (config: IgnitionConfig, path: string) =>
  config.storage?.files?.find((file) => file.path === path);
const unitOf = (config: IgnitionConfig, name: string) =>
  config.systemd?.units?.find((unit) => unit.name === name);

function fileChange(
  name: string,
  before: FileEntry | undefined,
  after: FileEntry | undefined,
): PatchChange {
  const secret = [before, after].some((file) => ((file?.mode ?? 0o644) & 0o004) === 0);
  const show = (file: FileEntry | undefined) => describeFile(file, secret);
  return change('file', name, before, after, [show(before), show(after)]);
}

function describeFile(file: FileEntry | undefined, secret: boolean): string {
  if (file === undefined) return '';
  const bytes = contentsOf(file.contents);
  const head = `mode ${(file.mode ?? 0o644).toString(8).padStart(4, '0')}\n`;
  if (bytes === undefined) return `${head}contents of ${file.contents?.source}\n`;
  if (secret) return `${head}secret of ${bytes.length} bytes, ${digestOf(bytes).slice(0, 19)}\n`;
  return `${head}${bytes.toString('utf8')}`;
}

function unitChange(
  name: string,
  before: UnitEntry | undefined,
  after: UnitEntry | undefined,
): PatchChange {
  return change('unit', name, before, after, [describeUnit(before), describeUnit(after)]);
}

function describeUnit(unit: UnitEntry | undefined): string {
  if (unit === undefined) return '';
  const { enabled, mask, contents, dropins } = unit;
  return [
    ...(enabled === undefined ? [] : [`enabled ${enabled}`]),
    ...(mask === undefined ? [] : [`mask ${mask}`]),
    ...(contents === undefined ? [] : [contents.trimEnd()]),
    ...(dropins ?? []).map((dropin) => `# ${dropin.name}\n${(dropin.contents ?? '').trimEnd()}`),
  ].join('\n');
}

function change(
  kind: PatchChange['kind'],
  name: string,
  before: unknown,
  after: unknown,
  [old, next]: readonly [string, string],
): PatchChange {
  const same = JSON.stringify(before) === JSON.stringify(after);
  if (same) return { kind, name, action: 'unchanged', diff: [] };
  const action = before === undefined ? 'added' : 'changed';
  return { kind, name, action, diff: lineDiff(old, next) };
}
