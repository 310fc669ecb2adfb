import type { Context } from '../../core/context.ts';
import { ERROR_CODES, type ErrorCode } from '../../core/error-codes.ts';
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
    heed(ctx, await examineSite(ctx, work, { sources: work.isChosen?.('images') ?? false }));
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
  for (const hint of new Set(told.map((each) => each.hint))) {
    const same = told.filter((each) => each.hint === hint);
    const message = same.map((each) => each.message).join('\n  ');
    const subject = same.length === 1 && same[0] ? { subject: same[0].subject } : {};
    ctx.emit({ type: 'warning.raised', ...subject, message, ...(hint ? { hint } : {}) });
  }
  const errors = checks.filter(stops);
  if (errors.length === 0) return;
  const shown = errors.map(({ message }) => message).join('\n  ');
  throw new AtollError(
    onlyCode(errors) ?? 'PREFLIGHT_FAILED',
    `Cannot begin: found ${counted(errors.length, 'problem')}\n  ${shown}`,
    { hint: [...new Set(errors.flatMap(({ hint }) => hint ?? []))].join('; ') || undefined },
  );
}

/** Causes of one kind keep a code of theirs, and with it the exit status of that kind. */
function onlyCode(errors: readonly PreflightCheck[]): ErrorCode | undefined {
  const exits = new Set(errors.map(({ code }) => code && ERROR_CODES[code].exit));
  return exits.size === 1 ? errors[0]?.code : undefined;
}
