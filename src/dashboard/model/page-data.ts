import type { RunState } from './run-state.ts';
import type { Usuals } from './sentence.ts';

/** What the site is, in a few words each. */
export interface SiteFacts {
  readonly name: string;
  readonly platform: string;
  readonly mode: string;
  readonly release: string;
  readonly mirror: string;
  /** Broken on purpose, carried in a bundle, …: what the run should be read with. */
  readonly remarks: readonly (readonly [name: string, value: string])[];
  /** For a lab: what stands for something else, and what is as it would be. */
  readonly simulated: readonly string[];
  readonly real: readonly string[];
}

export interface RunSummary {
  readonly run: string;
  readonly startedAt: string;
  readonly durationMs: number;
  readonly outcome: RunState['outcome'];
  readonly stages: readonly {
    readonly id: string;
    readonly state: string;
    readonly durationMs: number;
  }[];
  readonly copiedBytes: number;
  readonly images: number;
}

/** One image of the mirror, with what needs it. */
export interface ImageRow {
  readonly kind: string;
  readonly source: string;
  readonly target: string;
  readonly digest?: string | undefined;
  readonly sizeBytes?: number | undefined;
  readonly copiedBytes: number;
  readonly outcome: string;
  /** Why it is here: in words, and by name. */
  readonly reason: string;
  readonly neededBy: readonly string[];
  readonly component?: string | undefined;
  readonly error?: string | undefined;
}

export interface FindingRow {
  readonly id: string;
  /** `diagnosis`: from logs; `rehearsal`: from trying the pulls. */
  readonly from: 'diagnosis' | 'rehearsal';
  /** A consequence of another finding, or a cause of its own. */
  readonly kind: 'root' | 'symptom' | 'hole' | 'warning';
  readonly title: string;
  readonly remedy: string;
  readonly commands: readonly string[];
  readonly count: number;
  readonly firstAt?: string | undefined;
  readonly evidence: readonly { readonly place: string; readonly text: string }[];
}

/** All that the page shows. A section that is undefined could not be read; an empty one has nothing. */
export interface PageData {
  readonly version: string;
  /** When this was made. A report is of then, a page that is served of now. */
  readonly at: string;
  readonly site: SiteFacts;
  readonly run: RunState | undefined;
  readonly usuals: Usuals;
  readonly runs: readonly RunSummary[];
  readonly images: readonly ImageRow[] | undefined;
  readonly findings: readonly FindingRow[] | undefined;
}

/** The parts that come anew as a whole when they changed. */
export type SectionName = Exclude<keyof PageData, 'version' | 'at' | 'run'>;
