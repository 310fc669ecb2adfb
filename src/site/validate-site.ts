import { access } from 'node:fs/promises';
import type { Context } from '../core/context.ts';
import { AtollError } from '../core/errors.ts';
import { counted } from '../core/format.ts';
import { openPlatform, openSite } from './open-site.ts';
import { platformFiles } from './platform-files.ts';
import { type Site, sitePath } from './read-site.ts';
import { siteWorkflow } from './site-workflow.ts';
import { siteImageSet } from './stages/release.ts';
import type { Env } from './stages/stage.ts';

/** What the schema cannot see: files that are not there, a bad image set, steps that do not fit. */
export async function validateSite(ctx: Context, site: Site, env: Env): Promise<void> {
  await checkFiles(site);
  const { warnings } = await siteImageSet(site);
  for (const { message } of warnings) ctx.emit({ type: 'warning.raised', message });
  if (await isBuilt(ctx, site)) await checkSteps(ctx, site, env);
}

/** Files the site names must be there: better said now than in stage three. */
async function checkFiles(site: Site): Promise<void> {
  const named: readonly (readonly [string, string | undefined])[] = [
    ['cluster.pullSecret', site.cluster.pullSecret],
    ['cluster.sshKey', site.cluster.sshKey],
    ['bastion.sshKey', site.bastion.sshKey],
    ['registry.ca', site.registry.ca],
    ['registry.authfile', site.registry.authfile],
    ['mirror.imageSet', site.mirror.imageSet],
    ['mirror.releaseKey', site.mirror.releaseKey],
    ['mirror.sigstoreKey', site.mirror.sigstoreKey],
    ['mirror.registriesConf', site.mirror.registriesConf],
    ['mirror.ca', site.mirror.ca],
    ...platformFiles(site).map(([setting, path]) => [`platform.${setting}`, path] as const),
  ];
  const missing: string[] = [];
  for (const [field, path] of named) {
    if (path === undefined) continue;
    const there = await access(sitePath(site, path)).then(
      () => true,
      () => false,
    );
    if (!there) missing.push(`${field}: there is no file "${sitePath(site, path)}"`);
  }
  if (missing.length === 0) return;
  throw new AtollError(
    'INPUT_INVALID',
    `Cannot use "${site.path}": ${counted(missing.length, 'file')} missing\n  ${missing.join('\n  ')}`,
    { hint: 'Put them there, or change the paths in the site file; relative ones start at it' },
  );
}

/** A good file for a platform that is still to come is no mistake, but nobody should be surprised. */
async function isBuilt(ctx: Context, site: Site): Promise<boolean> {
  try {
    await openPlatform(site);
    return true;
  } catch (error) {
    if (!(error instanceof AtollError)) throw error;
    ctx.emit({
      type: 'warning.raised',
      message: error.message,
      ...(error.hint ? { hint: error.hint } : {}),
    });
    return false;
  }
}

/** What the site skips, replaces and inserts must fit together: it is put together as "up" does. */
async function checkSteps(ctx: Context, site: Site, env: Env): Promise<void> {
  const open = await openSite(ctx, site, env, 'look');
  try {
    await siteWorkflow(ctx, open.work);
  } finally {
    await open.close();
  }
}
