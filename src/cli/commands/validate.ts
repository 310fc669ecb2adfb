import { access } from 'node:fs/promises';
import type { Context } from '../../core/context.ts';
import { AtollError } from '../../core/errors.ts';
import { counted } from '../../core/format.ts';
import { platformHooks } from '../../lab/lab-hooks.ts';
import { openSite, platformOf } from '../../site/open-site.ts';
import { readSite, type Site, sitePath } from '../../site/read-site.ts';
import { siteJsonSchema } from '../../site/schema.ts';
import { siteWorkflow } from '../../site/site-workflow.ts';
import { siteImageSet } from '../../site/stages/release.ts';
import type { Env } from '../../site/stages/stage.ts';
import { defineCommand } from '../command.ts';
import { SITE_OPTION } from '../site-options.ts';

export const validateCommand = defineCommand({
  name: 'validate',
  summary: 'Check a site file: every mistake in one go, with line and column',
  options: {
    ...SITE_OPTION,
    schema: { type: 'boolean', summary: 'Print the JSON Schema for editors instead' },
  },
  examples: [
    ['atoll validate', 'checks atoll.yaml'],
    ['atoll validate --schema > atoll.schema.json', 'for editors'],
  ],
  async run(ctx, { options, terminal }) {
    if (options.schema) return { schema: siteJsonSchema() };
    const site = await readSite(options.site, terminal.env);
    await checkFiles(site);
    const { warnings } = await siteImageSet(site);
    for (const { message } of warnings) ctx.emit({ type: 'warning.raised', message });
    if (isBuilt(ctx, site)) await checkSteps(ctx, site, terminal.env);
    return { valid: true, site: site.name, file: site.path, overrides: site.overrides };
  },
  text: (result) =>
    'schema' in result ? JSON.stringify(result.schema, null, 2) : `${result.file} is valid`,
});

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
function isBuilt(ctx: Context, site: Site): boolean {
  try {
    platformOf(site);
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
  const open = await openSite(ctx, site, env, { hooks: platformHooks, access: 'look' });
  try {
    await siteWorkflow(ctx, open.work);
  } finally {
    await open.close();
  }
}
