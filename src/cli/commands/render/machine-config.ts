import { AtollError } from '../../../core/errors.ts';
import { readText } from '../../../core/files.ts';
import { type FileEntry, textFile, type UnitEntry } from '../../../generate/ignition/config.ts';
import { machineConfig } from '../../../generate/machine-config.ts';
import { toYaml } from '../../../generate/yaml.ts';
import type { OptionSpec, OptionValues } from '../../command.ts';
import { readNamedFiles, splitPair } from './flag-values.ts';
import { renderCommand } from './render-command.ts';

/** Files and units from this machine, for commands that put them onto another. */
export const PAYLOAD_OPTIONS = {
  file: {
    type: 'strings',
    value: 'PATH[:MODE]=FILE',
    summary: 'Put FILE at PATH of the machine, mode 0644 unless named',
  },
  unit: { type: 'strings', value: 'NAME=FILE', summary: 'Enable this systemd unit' },
  mask: { type: 'strings', value: 'NAME', summary: 'Never start this systemd unit' },
} as const satisfies Readonly<Record<string, OptionSpec>>;

export async function payloadFrom(
  options: OptionValues<typeof PAYLOAD_OPTIONS>,
): Promise<{ files: FileEntry[]; units: UnitEntry[] }> {
  const units = Object.entries(await readNamedFiles('unit', options.unit));
  return {
    files: await Promise.all(options.file.map(fileOf)),
    units: [
      ...units.map(([name, contents]) => ({ name, enabled: true, contents })),
      ...options.mask.map((name) => ({ name, enabled: false, mask: true })),
    ],
  };
}

async function fileOf(text: string): Promise<FileEntry> {
  const [place, source] = splitPair('file', text);
  const [, path, mode] = /^(\/.+?)(?::([0-7]{3,4}))?$/.exec(place) ?? [];
  if (path === undefined) {
    throw new AtollError('USAGE', `Cannot use "--file ${text}"`, {
      hint: 'Write an absolute path, such as "/etc/chrony.conf=chrony.conf"',
    });
  }
  return textFile(path, await readText(source), mode ? { mode: Number.parseInt(mode, 8) } : {});
}

export const renderMachineConfigCommand = renderCommand({
  name: 'render machine-config',
  summary: 'MachineConfigs that carry files and units to the nodes of a pool',
  options: {
    role: {
      type: 'strings',
      value: 'POOL',
      default: ['master', 'worker'],
      summary: 'Pool; one object each',
    },
    name: { type: 'string', value: 'NAME', required: true, summary: 'Last part of 99-POOL-NAME' },
    ...PAYLOAD_OPTIONS,
    kernelArgument: { type: 'strings', value: 'ARG', summary: 'Kernel argument' },
  },
  examples: [
    [
      'atoll render machine-config --name chrony --file /etc/chrony.conf=chrony.conf',
      'for both pools',
    ],
    [
      'atoll render machine-config --name hosts --role worker --file /etc/hosts:0644=hosts',
      'one pool',
    ],
  ],
  async render(_ctx, { options }) {
    const payload = await payloadFrom(options);
    const objects = options.role.toSorted().map((role) =>
      machineConfig({
        name: `99-${role}-${options.name}`,
        role,
        ...payload,
        kernelArguments: options.kernelArgument,
      }),
    );
    return { contents: toYaml(...objects) };
  },
});
