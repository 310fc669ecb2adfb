import * as z from 'zod';
import { AtollError } from '../core/errors.ts';
import { shellLine } from '../core/format.ts';
import type { UpResult } from '../site/up.ts';
import { logBundleOf } from './lab-paths.ts';
import { type MachinePulls, machinePulls } from './verify-lab.ts';

export interface StageSummary {
  readonly stage: string;
  readonly outcome: string;
  readonly durationMs: number;
}

/** What a lab has shown. */
export interface LabSummary {
  readonly stages: readonly StageSummary[];
  readonly nodes: readonly MachinePulls[];
  /** Every machine pulled from the mirror and nowhere else, by its own account and the mirror's. */
  readonly fromMirror: boolean;
  readonly images: number;
  readonly copiedBytes: number;
  readonly durationMs: number;
}

export function labSummary({
  outcomes,
  outputs,
}: Pick<UpResult, 'outcomes' | 'outputs'>): LabSummary {
  const stages = outcomes.map(({ step, outcome, durationMs }) => ({
    stage: step,
    outcome,
    durationMs,
  }));
  return {
    stages,
    nodes: z.array(machinePulls).parse(outputs.verify?.nodes ?? []),
    fromMirror: outputs.verify?.fromMirror === true,
    images: Number(outputs.images?.images ?? 0),
    copiedBytes: Number(outputs.images?.copiedBytes ?? 0),
    durationMs: stages.reduce((sum, stage) => sum + stage.durationMs, 0),
  };
}

/** A failed rehearsal says how to find out why. */
export function diagnoseHint(error: unknown, state: string): unknown {
  if (!(error instanceof AtollError) || error.code !== 'CLUSTER_FAILED') return error;
  return new AtollError(error.code, error.message, {
    hint: `Run: ${shellLine(['atoll', 'diagnose', logBundleOf(state)])}`,
    details: error.details,
    cause: error.cause,
  });
}
