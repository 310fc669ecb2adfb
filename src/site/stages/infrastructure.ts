import type { Context } from '../../core/context.ts';
import { AtollError } from '../../core/errors.ts';
import { counted } from '../../core/format.ts';
import type { PreflightCheck } from '../../platform/platform.ts';
import { asJson, type Stage } from './stage.ts';

export const infrastructureStage: Stage = {
  id: 'infrastructure',
  needs: [],
  inputs: ({ name, platform }) => asJson({ name, platform }),
  plan: ({ platform }) => platform.plan().infrastructure,
  run: async (ctx, { site, platform, inventory }) => {
    heed(ctx, await platform.preflight(ctx));
    await platform.provision(ctx, (resource) => inventory.claim(resource));
    return { platform: site.platformKind.name };
  },
};

/** Nothing is made while something is known that would make it useless. */
function heed(ctx: Context, checks: readonly PreflightCheck[]): void {
  for (const { subject, message, hint } of checks.filter((each) => each.severity === 'warning')) {
    ctx.emit({ type: 'warning.raised', subject, message, ...(hint ? { hint } : {}) });
  }
  const errors = checks.filter(({ severity }) => severity === 'error');
  if (errors.length === 0) return;
  const shown = errors.map(({ message }) => message).join('\n  ');
  throw new AtollError(
    'PREFLIGHT_FAILED',
    `Cannot begin: found ${counted(errors.length, 'problem')}\n  ${shown}`,
    { hint: errors.flatMap(({ hint }) => hint ?? []).join('; ') || undefined },
  );
}
