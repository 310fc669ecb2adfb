import { resolve } from 'node:path';
import { formatBytes, formatDuration } from '../../core/format.ts';
import { BREAKS, type Break } from '../../lab/lab-settings.ts';
import { type LabResult, runLab } from '../../lab/run-lab.ts';
import { inTemporaryLab, newLabFolder } from '../../lab/temporary-lab.ts';
import { defineCommand, type Style } from '../command.ts';
import { besideDashboard, UI_SWITCH } from '../dashboard-options.ts';
import { onOff, text } from '../flags.ts';
import { columns } from '../table.ts';

export const labCommand = defineCommand({
  name: 'lab',
  summary: 'Run the whole job on this machine: upstream, mirror, configuration, rehearsed install',
  description:
    'Makes an upstream with signed releases, an operator catalog and extra images; runs the ten stages of a disconnected site against it; shuts upstream down; and rehearses the install with a bootstrap, three masters and two workers that really pull and verify every image from the mirror through the generated configuration. Simulated are the machines and the Kubernetes on them; everything about images and configuration is real.',
  options: {
    dir: text(
      'DIR',
      'Where the lab lives; it stays there, and a second run resumes (default: a folder that goes away)',
    ),
    keep: onOff('Keep the folder that would go away'),
    report: text(
      'FILE',
      'Where the report goes (default: report.html in DIR, or atoll-lab-report.html here)',
    ),
    airgap: onOff('Carry the images in a bundle: save, then load'),
    ...UI_SWITCH,
    break: text('WHAT', 'Spoil the install on purpose, to see it explained', { choices: BREAKS }),
  },
  examples: {
    'atoll lab': 'all of it, in a folder that goes away',
    'atoll lab --dir lab --airgap': 'through a bundle, kept to look at',
    'atoll lab --dir broken --break ca':
      'nodes that do not trust the mirror; then: atoll diagnose broken/site/.atoll/log-bundle',
  },
  async run(ctx, { options, terminal }) {
    const run = (directory: string, report: string | undefined) =>
      runLab(ctx, {
        directory,
        beside: (site, work) => besideDashboard(ctx, site, { wanted: options.ui, terminal }, work),
        writeReport: async (site, path) => {
          const { watchedSite } = await import('../../dashboard/watched-site.ts');
          const { writeRunReport } = await import('../../dashboard/write-report.ts');
          return await writeRunReport(ctx, watchedSite(site), path);
        },
        airgap: options.airgap,
        break: options.break as Break | undefined,
        report: report === undefined ? undefined : resolve(report),
      });
    if (options.dir !== undefined) return run(resolve(options.dir), options.report);
    // What was spoilt on purpose is there to be looked at.
    if (options.keep || options.break !== undefined) {
      return run(await newLabFolder(), options.report);
    }
    // The report must not be in a folder that is removed afterwards.
    const report = options.report ?? 'atoll-lab-report.html';
    return inTemporaryLab(ctx, (directory) => run(directory, report));
  },
  text: labText,
});

function labText(result: LabResult, style: Style): string {
  const stages = columns(
    result.stages.map(({ stage, outcome, durationMs }) => [
      `  ${stage}`,
      outcome,
      formatDuration(durationMs),
    ]),
  );
  const nodes = columns(
    result.nodes.map(({ node, images, bytes }) => [
      `  ${node}`,
      `${images} images`,
      formatBytes(bytes),
    ]),
    { right: [1] },
  );
  return [
    style.bold('Stages'),
    ...stages,
    style.bold('Pulled from the mirror, upstream being off'),
    ...nodes,
    `${style.green('The lab came up')}: ${result.images} images mirrored (${formatBytes(result.copiedBytes)} moved) in ${formatDuration(result.durationMs)}`,
    ...(result.report ? [`Report: ${result.report}`] : []),
    style.dim(
      'Simulated: the machines and the Kubernetes on them. Real: images, signatures, TLS, credentials, configuration.',
    ),
  ].join('\n');
}
