import { counted, formatBytes } from '../../core/format.ts';
import { type MirrorStatus, siteStatus } from '../../site/status.ts';
import { defineCommand, type Style } from '../command.ts';
import { SITE_OPTION, withSite } from '../site-options.ts';
import { columns } from '../table.ts';

export const statusCommand = defineCommand({
  name: 'status',
  summary: 'Show where a site stands: stages, and what it has made',
  options: SITE_OPTION,
  examples: {
    'atoll status': 'the site in atoll.yaml',
  },
  run: (ctx, input) =>
    withSite(ctx, input, 'look', async (open) => {
      const { watchedSite } = await import('../../dashboard/watched-site.ts');
      const { writeReportOfKilled } = await import('../../dashboard/write-report.ts');
      await writeReportOfKilled(ctx, watchedSite(open.work.site));
      return await siteStatus(ctx, open);
    }),
  text: ({ site, stages, resources, mirror }, style) =>
    [
      style.bold(`Site ${site}`),
      ...columns(
        stages.map(({ stage, state, at, message }) => [
          stage,
          state,
          style.dim(at ?? ''),
          message ?? '',
        ]),
      ),
      ...mirrorLines(mirror, style),
      style.bold('Made by this site'),
      ...(resources.length === 0 ? ['nothing'] : []),
      ...columns(
        resources.map(({ kind, id, temporary, running }) => {
          const marks = [
            temporary ? 'temporary' : '',
            running === undefined ? '' : running ? 'running' : 'stopped',
          ];
          return [kind, id, style.dim(marks.filter((mark) => mark !== '').join(', '))];
        }),
      ),
    ].join('\n'),
});

function mirrorLines(mirror: MirrorStatus, style: Style): string[] {
  const { address, certificateDays, freeBytes, clients, unreached } = mirror;
  const facts = [
    address,
    ...(certificateDays === undefined
      ? []
      : [`certificate good for ${counted(certificateDays, 'day')}`]),
    ...(freeBytes === undefined ? [] : [`${formatBytes(freeBytes)} free`]),
    ...(unreached === undefined ? [] : [`not looked at: ${unreached}`]),
  ];
  return [
    style.bold('Mirror'),
    facts.join(', '),
    ...columns(
      clients.map(({ client, images, bytes, lastAt }) => [
        client,
        counted(images, 'image'),
        formatBytes(bytes),
        style.dim(lastAt),
      ]),
      { right: [1, 2] },
    ),
  ];
}
