/** All that a report shows. Plain data: whoever has a run can make one. */
export interface ReportInput {
  /** Heading, such as `lab`. */
  readonly name: string;
  readonly outcome: 'succeeded' | 'failed';
  readonly error?: ReportError | undefined;
  readonly run: string;
  readonly startedAt: string;
  readonly durationMs: number;
  /** What was asked for, in a few words each: `Release` `4.18.2`. */
  readonly facts: readonly (readonly [name: string, value: string])[];
  readonly stages: readonly ReportStage[];
  readonly images: readonly ReportImage[];
  readonly nodes: readonly ReportNode[];
  /** A picture of our own making; put in as it is. */
  readonly timelineSvg?: string | undefined;
  readonly findings: readonly ReportFinding[];
  readonly warnings: readonly ReportWarning[];
  readonly simulated: readonly string[];
  readonly real: readonly string[];
  readonly siteFile: { readonly path: string; readonly text: string };
  readonly version: string;
}

export interface ReportError {
  readonly code?: string | undefined;
  readonly message: string;
  readonly hint?: string | undefined;
}

export interface ReportStage {
  readonly id: string;
  readonly title: string;
  readonly outcome: 'finished' | 'skipped' | 'failed' | 'not-run';
  readonly reason?: string | undefined;
  /** Since the start of the run. */
  readonly startMs: number;
  readonly durationMs: number;
}

export interface ReportImage {
  /** `release`, `component`, `catalog`, … */
  readonly kind: string;
  readonly source: string;
  readonly target: string;
  readonly outcome: string;
  readonly reason: string;
  readonly sizeBytes?: number | undefined;
  readonly copiedBytes: number;
}

export interface ReportNode {
  readonly name: string;
  readonly state: 'joined' | 'complete' | 'failed' | 'stopped';
  readonly message?: string | undefined;
  readonly bytes: number;
  readonly pulls: readonly { readonly image: string; readonly endpoint: string }[];
}

export interface ReportFinding {
  readonly id: string;
  readonly cause: string;
  readonly remedy: string;
  readonly commands: readonly string[];
  readonly evidence: readonly { readonly place: string; readonly text: string }[];
}

export interface ReportWarning {
  readonly message: string;
  readonly hint?: string | undefined;
}
