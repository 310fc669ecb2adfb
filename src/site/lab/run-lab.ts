import type { Context } from '../../core/context.ts';
import { openSite } from '../open-site.ts';
import { readSite } from '../read-site.ts';
import { removeResources } from '../remove-resources.ts';
import { stopService } from '../service.ts';
import { bringUp, type UpResult } from '../up.ts';
import { diagnoseHint, type LabSummary, labSummary } from './lab-summary.ts';
import { type LabOptions, prepareLab } from './prepare-lab.ts';

export interface LabResult extends LabSummary {
  readonly siteFile: string;
  readonly directory: string;
}

/** The whole job on this machine: an upstream, a site of platform lab, all ten stages. */
export async function runLab(ctx: Context, options: LabOptions): Promise<LabResult> {
  const { siteFile, upstreamPidFile } = await prepareLab(ctx, options);
  const site = await readSite(siteFile, {});
  const open = await openSite(ctx, site, { PATH: process.env.PATH });
  let result: UpResult;
  try {
    result = await bringUp(ctx, open);
  } finally {
    await stopService({ signal: new AbortController().signal }, upstreamPidFile);
    // Content stays, so that the next run is quick and people can look; processes do not.
    await removeResources(
      { ...ctx, signal: new AbortController().signal },
      open.work,
      ({ kind }) => kind === 'service',
    );
    await open.close();
  }
  if (!result.succeeded) throw diagnoseHint(result.error, site.state);
  return { ...labSummary(result), siteFile, directory: options.directory };
}
