import { readText } from '../../../core/files.ts';
import { bootstrapPatch } from '../../../generate/ignition/bootstrap-patch.ts';
import {
  formatPatched,
  type PatchChange,
  patchIgnition,
} from '../../../generate/ignition/patch.ts';
import { parseIgnition } from '../../../generate/ignition/read.ts';
import { formatPullSecret, parsePullSecret } from '../../../generate/pull-secret.ts';
import { defineCommand, type Style } from '../../command.ts';
import { readNamedCertificates, readOptional } from './flag-values.ts';
import { PAYLOAD_OPTIONS, payloadFrom } from './machine-config.ts';
import { deliver } from './render-command.ts';

interface PatchOutcome {
  readonly path: string;
  readonly written: boolean;
  readonly changes: readonly PatchChange[];
}

export const renderPatchIgnitionCommand = defineCommand({
  name: 'render patch-ignition',
  summary: 'Put files and units into a bootstrap.ign, master.ign or worker.ign',
  description:
    'Changes the file in place, or writes the result with --to, and shows what changed, line by ' +
    'line. Contents of files that not everybody may read are not shown. Run again, it changes ' +
    'nothing. With --dry-run the file stays as it is.',
  arguments: [{ name: 'file', summary: 'Ignition file of the installer' }],
  options: {
    registriesConf: {
      type: 'string',
      value: 'FILE',
      summary: 'For /etc/containers/registries.conf',
    },
    policy: { type: 'string', value: 'FILE', summary: 'For /etc/containers/policy.json' },
    hosts: { type: 'string', value: 'FILE', summary: 'For /etc/hosts' },
    pullSecret: {
      type: 'string',
      value: 'FILE',
      summary: 'For /root/.docker/config.json and the kubelet',
    },
    pauseImage: { type: 'string', value: 'IMAGE', summary: 'Pause image for CRI-O' },
    trust: { type: 'strings', value: 'NAME=FILE', summary: 'PEM of a further CA' },
    ...PAYLOAD_OPTIONS,
    to: { type: 'string', value: 'FILE', summary: 'Write the result there' },
    dryRun: { type: 'boolean', summary: 'Only show what would change' },
  },
  examples: [
    [
      'atoll render patch-ignition bootstrap.ign --registries-conf registries.conf --trust mirror=ca.crt',
      'in place',
    ],
    ['atoll render patch-ignition worker.ign --hosts hosts --dry-run', 'show the difference'],
  ],
  async run(ctx, { args, options }): Promise<PatchOutcome> {
    const path = args.file ?? '';
    const before = await readText(path);
    const secret = await readOptional(options.pullSecret);
    const patch = bootstrapPatch({
      registriesConf: await readOptional(options.registriesConf),
      policy: await readOptional(options.policy),
      hosts: await readOptional(options.hosts),
      pullSecret: secret && formatPullSecret(parsePullSecret(secret, `"${options.pullSecret}"`)),
      pauseImage: options.pauseImage,
      trustedCas: await readNamedCertificates('trust', options.trust),
      ...(await payloadFrom(options)),
    });
    const { config, changes } = patchIgnition(parseIgnition(before, `"${path}"`), patch);
    const changed = changes.some(({ action }) => action !== 'unchanged');
    const written = !options.dryRun && (changed || options.to !== undefined);
    const target = options.to ?? path;
    if (written) await deliver(ctx, { contents: formatPatched(config), secret: true }, target);
    return { path: target, written, changes };
  },
  text: changesText,
});

function changesText({ changes }: PatchOutcome, style: Style): string {
  return changes.map((change) => changeText(change, style)).join('\n');
}

function changeText({ action, kind, name, diff }: PatchChange, style: Style): string {
  const head = `${action} ${kind} ${style.bold(name)}`;
  const lines = diff.map((line) => `  ${colour(line, style)}`);
  return [head, ...lines].join('\n');
}

function colour(line: string, style: Style): string {
  if (line.startsWith('+')) return style.green(line);
  return line.startsWith('-') ? style.red(line) : style.dim(line);
}
