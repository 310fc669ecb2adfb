import * as z from 'zod';
import { readText } from '../../../../core/files.ts';
import { bootstrapPatch } from '../../../../generate/ignition/bootstrap-patch.ts';
import {
  formatPatched,
  type PatchChange,
  patchIgnition,
} from '../../../../generate/ignition/patch.ts';
import { parseIgnition } from '../../../../generate/ignition/read.ts';
import type { Style } from '../../../command.ts';
import { file, namedCertificates, pullSecretFile } from '../flag-files.ts';
import { onOff, text } from '../flags.ts';
import { deliver, schemaCommand } from '../target.ts';
import { PAYLOAD_FLAGS, payloadOf } from './node-files.ts';

interface PatchOutcome {
  readonly path: string;
  readonly written: boolean;
  readonly changes: readonly PatchChange[];
}

export const patchIgnitionCommand = schemaCommand({
  name: 'render patch-ignition',
  summary: 'Put files and units into a bootstrap.ign, master.ign or worker.ign',
  description:
    'Changes the file in place, or writes the result with --to, and shows what changed, line by ' +
    'line. Contents of files that not everybody may read are not shown. Run again, it changes ' +
    'nothing. With --dry-run the file stays as it is.',
  arguments: [{ name: 'file', summary: 'Ignition file of the installer' }],
  schema: z.object({
    registriesConf: file('For /etc/containers/registries.conf').optional(),
    policy: file('For /etc/containers/policy.json').optional(),
    hosts: file('For /etc/hosts').optional(),
    pullSecret: pullSecretFile('For /root/.docker/config.json and the kubelet').optional(),
    pauseImage: text('IMAGE', 'Pause image for CRI-O').optional(),
    trust: namedCertificates('trust', 'PEM of a further CA'),
    ...PAYLOAD_FLAGS,
    to: text('FILE', 'Write the result there').optional(),
    dryRun: onOff('Only show what would change'),
  }),
  examples: {
    'atoll render patch-ignition bootstrap.ign --registries-conf registries.conf --trust mirror=ca.crt':
      'in place',
    'atoll render patch-ignition worker.ign --hosts hosts --dry-run': 'show the difference',
  },
  async run(ctx, options, args): Promise<PatchOutcome> {
    const path = args.file ?? '';
    const { registriesConf, policy, hosts, pullSecret, pauseImage, trust: trustedCas } = options;
    const patch = bootstrapPatch({
      ...{ registriesConf, policy, hosts, pullSecret, pauseImage, trustedCas },
      ...payloadOf(options),
    });
    const before = parseIgnition(await readText(path), `"${path}"`);
    const { config, changes, warnings } = patchIgnition(before, patch);
    for (const message of warnings) {
      const hint = 'Give nodes such files with "atoll render machine-config"';
      ctx.emit({ type: 'warning.raised', subject: path, message, hint });
    }
    const changed = changes.some(({ action }) => action !== 'unchanged');
    const written = !options.dryRun && (changed || options.to !== undefined);
    const target = options.to ?? path;
    if (written) await deliver(ctx, { contents: formatPatched(config), secret: true }, target);
    return { path: target, written, changes };
  },
  text: ({ changes }, style) => changes.map((change) => changeText(change, style)).join('\n'),
});

function changeText({ action, kind, name, diff }: PatchChange, style: Style): string {
  const head = `${action} ${kind} ${style.bold(name)}`;
  return [head, ...diff.map((line) => `  ${colour(line, style)}`)].join('\n');
}

function colour(line: string, style: Style): string {
  if (line.startsWith('+')) return style.green(line);
  return line.startsWith('-') ? style.red(line) : style.dim(line);
}
