import { access } from 'node:fs/promises';
import type { Context } from '../core/context.ts';
import { AtollError } from '../core/errors.ts';
import { readText } from '../core/files.ts';
import { counted } from '../core/format.ts';
import { registerPullSecret } from '../core/redact.ts';
import { parsePullSecret } from '../generate/pull-secret.ts';
import { openSite } from './open-site.ts';
import { platformFiles } from './platform-files.ts';
import { type Site, sitePath } from './read-site.ts';
import { checkChannel } from './release-channel.ts';
import { siteWorkflow } from './site-workflow.ts';
import { siteImageSet } from './stages/release.ts';
import type { Env } from './stages/stage.ts';

/**
 * What the schema cannot see: files that are not there, a bad image set, steps that do not fit. Gives what
 * could not be looked at without asking others.
 */
export async function validateSite(ctx: Context, site: Site, env: Env): Promise<readonly string[]> {
  await checkFiles(site);
  await checkPullSecret(site);
  const { warnings } = await siteImageSet(site);
  for (const { message } of warnings) ctx.emit({ type: 'warning.raised', message });
  await checkSteps(ctx, site, env);
  requireSshKey(site);
  return await checkChannel(ctx, site);
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

/** A pull secret that is none would be found in stage three, one without entries in stage four. */
async function checkPullSecret(site: Site): Promise<void> {
  const path = sitePath(site, site.cluster.pullSecret);
  const text = await readText(path);
  registerPullSecret(text);
  if (Object.keys(parsePullSecret(text, `"${path}"`).auths).length > 0) return;
  throw new AtollError('INPUT_INVALID', `Cannot use "${path}": no registry has an entry in it`, {
    hint: 'Download the pull secret from console.redhat.com/openshift/install/pull-secret',
  });
}

/** Whoever cannot log in to a machine that does not come up can only guess. */
function requireSshKey(site: Site): void {
  if (site.cluster.sshKey !== undefined) return;
  throw new AtollError('INPUT_INVALID', `Cannot use "${site.path}": cluster.sshKey is missing`, {
    hint: 'Name a public key, such as ~/.ssh/id_ed25519.pub; make one with: ssh-keygen -t ed25519',
  });
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
