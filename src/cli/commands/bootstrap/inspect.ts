import { readText } from '../../../core/files.ts';
import { formatBytes } from '../../../core/format.ts';
import { inspectIgnition } from '../../../observe/ignition/inspect.ts';
import type { Inspection } from '../../../observe/ignition/inspection.ts';
import { defineCommand, type Style } from '../../command.ts';

export const bootstrapInspectCommand = defineCommand({
  name: 'bootstrap inspect',
  summary: 'Tell what a machine will do with an Ignition config',
  description:
    'Works on bootstrap, master, worker and pointer configs of any specification 3.x. Secrets are named and ' +
    'never shown. Warns where something points outside the mirror.',
  arguments: [{ name: 'file', summary: 'The Ignition config' }],
  examples: {
    'atoll bootstrap inspect bootstrap.ign': 'units, scripts, mirrors, certificates, warnings',
    'atoll bootstrap inspect master.ign --output json': 'for programs',
  },
  async run(ctx, { args }) {
    const file = args.file ?? '';
    return inspectIgnition(file, await readText(file), ctx.now());
  },
  text: inspectionText,
});

function inspectionText(inspection: Inspection, style: Style): string {
  const section = (title: string, lines: readonly string[]) =>
    lines.length === 0 ? [] : ['', style.bold(title), ...lines.map((line) => `  ${line}`)];
  const { kind, version, releaseImage } = inspection;
  return [
    `${style.bold(kind)} config, Ignition ${version}`,
    ...(releaseImage ? [`Release image ${releaseImage}`] : []),
    ...section(
      'Fetches',
      inspection.fetches.map(
        ({ source, verified }) => `${source}${verified ? ' (hash checked)' : ''}`,
      ),
    ),
    ...section(
      'Units, in boot order',
      inspection.units.map((unit, index) => unitLine(unit, index, style)),
    ),
    ...section(
      'Scripts',
      inspection.scripts.map(
        ({ path, sizeBytes }) => `${path} ${style.dim(formatBytes(sizeBytes))}`,
      ),
    ),
    ...section('Mirrors', inspection.mirrors.map(mirrorLine)),
    ...section('Credentials for', inspection.credentialsFor),
    ...section(
      'Certificates',
      inspection.certificates.map((one) => certificateLine(one, style)),
    ),
    ...section(
      'Manifests',
      inspection.manifests.map(({ path, kind: of, name }) => `${of}/${name} ${style.dim(path)}`),
    ),
    ...section(
      'Secrets, not shown',
      inspection.secrets.map(({ path, holds }) => `${path}: ${holds}`),
    ),
    ...section('May log in', inspection.loginKeys),
    ...section(
      'Warnings',
      inspection.warnings.map((warning) => style.yellow(warning)),
    ),
  ].join('\n');
}

function unitLine(unit: Inspection['units'][number], index: number, style: Style): string {
  const about = unit.description ? ` ${unit.description}` : '';
  const how = unit.writtenBy ? writtenHow(unit.writtenBy, unit.started) : unit.started;
  return `${String(index + 1).padStart(2)}. ${unit.name}${style.dim(`${about} (${how})`)}`;
}

/** That a generator writes a unit does not start it. */
const writtenHow = (generator: string, started: string): string =>
  started === 'not by this config'
    ? `written by ${generator}, started by nothing in this config`
    : `${started}, written by ${generator}`;

function mirrorLine({
  source,
  mirrors,
  digestOnly,
  blocked,
  insecure,
}: Inspection['mirrors'][number]): string {
  const flags = [digestOnly && 'digests only', blocked && 'source blocked', insecure && 'insecure'];
  const told = flags.filter((flag) => flag !== false).join(', ');
  return `${source} -> ${mirrors.join(', ') || 'nothing'}${told ? ` (${told})` : ''}`;
}

function certificateLine(one: Inspection['certificates'][number], style: Style): string {
  const colour = one.state === 'valid' ? style.dim : style.yellow;
  return `${one.subject}${one.ca ? ' (CA)' : ''} ${colour(`${one.state}, until ${one.notAfter}`)} ${style.dim(one.path)}`;
}
