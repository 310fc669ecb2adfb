import type { Context } from '../../core/context.ts';
import type { ErrorCode } from '../../core/error-codes.ts';
import { AtollError } from '../../core/errors.ts';
import { counted } from '../../core/format.ts';
import type { PreflightCheck } from '../../platform/platform.ts';
import { examineSite } from '../doctor/doctor.ts';
import { asJson, type Stage } from './stage.ts';

export const infrastructureStage: Stage = {
  id: 'infrastructure',
  needs: [],
  inputs: ({ name, platform }) => asJson({ name, platform }),
  plan: ({ platform }) => platform.plan().infrastructure,
  run: async (ctx, work) => {
    const { site, platform, inventory } = work;
    heed(ctx, await examineSite(ctx, work));
    await platform.provision(ctx, (resource) => inventory.claim(resource));
    return { platform: site.platformKind.name };
  },
};

/** Nothing is made while something is known that would make it useless. */
export function heed(
  ctx: Context,
  checks: readonly PreflightCheck[],
  before: 'anything' | 'boot' = 'anything',
): void {
  const stops = ({ severity, stops: what }: PreflightCheck) =>
    severity === 'error' && (before === 'boot' || what !== 'boot');
  const told = checks.filter((each) => each.severity !== 'ok' && !stops(each));
  for (const { subject, message, hint } of told) {
    ctx.emit({ type: 'warning.raised', subject, message, ...(hint ? { hint } : {}) });
  }
  const errors = checks.filter(stops);
  if (errors.length === 0) return;
  const shown = errors.map(({ message }) => message).join('\n  ');
  throw new AtollError(
    onlyCode(errors) ?? 'PREFLIGHT_FAILED',
    `Cannot begin: found ${counted(errors.length, 'problem')}\n  ${shown}`,
    { hint: errors.flatMap(({ hint }) => hint ?? []).join('; ') || undefined },
  );
}

/** One cause keeps its own code, and with it its exit status. */
function onlyCode(errors: readonly PreflightCheck[]): ErrorCode | undefined {
  const codes = new Set(errors.map(({ code }) => code));
  return codes.size === 1 ? errors[0]?.code : undefined;
}
