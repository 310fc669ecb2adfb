import { ERROR_CODES } from '../../core/error-codes.ts';
import { formatBytes } from '../../core/format.ts';
import type { PreflightCheck } from '../../platform/platform.ts';
import { examineAll, examineSite } from '../../site/doctor/doctor.ts';
import type { ContentPlan } from '../../site/doctor/plan-content.ts';
import { defineCommand, type Style } from '../command.ts';
import { onOff } from '../flags.ts';
import { SITE_OPTION, withSite } from '../site-options.ts';

export const doctorCommand = defineCommand({
  name: 'doctor',
  summary: 'Look at everything an install needs, before anything is made',
  description:
    'DNS of api, api-int, *.apps and the mirror as nodes would ask, ports of the load balancer, each login of the pull ' +
    'secret, trust of the mirror, hosts that are nodes already, time servers, the clock of the bastion, and disks against the bytes to mirror. Changes nothing. Exits 0 when ' +
    'nothing stands in the way, 3 when something does.',
  options: {
    ...SITE_OPTION,
    content: onOff('Do not ask upstream how much there is to mirror', { default: true }),
  },
  examples: {
    'atoll doctor': 'the site in atoll.yaml',
    'atoll doctor --no-content': 'without asking upstream what there is to mirror',
  },
  run: (ctx, input) =>
    withSite(ctx, input, 'look', async ({ work }) => {
      const { content, checks } = input.options.content
        ? await examineAll(ctx, work)
        : { content: undefined, checks: await examineSite(ctx, work, { sources: true }) };
      return { site: work.site.name, content, checks };
    }),
  text: ({ site, content, checks }, style) =>
    [
      style.bold(`Site ${site}`),
      ...(content ? [contentLine(content)] : []),
      ...checks.flatMap((check) => checkLines(check, style)),
    ].join('\n'),
  exitCode: ({ checks }) => exitCodeOf(checks),
});

/** A site that something stands in the way of ends the command as it would end "atoll up". */
export const exitCodeOf = (checks: readonly PreflightCheck[]): number =>
  checks.some(({ severity }) => severity === 'error') ? ERROR_CODES.PREFLIGHT_FAILED.exit : 0;

export function checkLines(
  { subject, severity, message, hint }: PreflightCheck,
  style: Style,
): string[] {
  const colour = { ok: style.green, warning: style.yellow, error: style.red }[severity];
  return [
    `${colour(severity.padEnd(7))} ${style.bold(subject)} ${message}`,
    ...(hint && severity !== 'ok' ? [`  ${style.dim('next')} ${hint}`] : []),
  ];
}

export const contentLine = ({ images, totalBytes, missingImages, missingBytes }: ContentPlan) =>
  `${images} images, ${formatBytes(totalBytes)}; the mirror lacks ${missingImages} of them, ${formatBytes(missingBytes)}`;
