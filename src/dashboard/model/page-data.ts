import type { ByteSeries, PartHistory, RunState } from './run-state.ts';
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
  /** The views there is something for; all where it does not say. */
  readonly views?: readonly string[] | undefined;
  readonly run: RunState | undefined;
  readonly usuals: Usuals;
  readonly runs: readonly RunSummary[];
  readonly images: readonly ImageRow[] | undefined;
  readonly findings: readonly FindingRow[] | undefined;
  readonly nodes: readonly NodeRow[] | undefined;
  readonly bootstrap: BootstrapData | undefined;
  readonly cluster: ClusterData | undefined;
  readonly mirror: MirrorData | undefined;
  readonly config: readonly ConfigFile[] | undefined;
  readonly rehearsal: RehearsalData | undefined;
}

/** The parts that come anew as a whole when they changed. */
export type SectionName = Exclude<keyof PageData, 'version' | 'at' | 'run' | 'views'>;

/** One image as one machine pulls it. */
export interface NodePull {
  readonly image: string;
  readonly reference: string;
  readonly bytes: number;
  /** What the image weighs, where that is known. A node leaves out layers it has. */
  readonly totalBytes?: number | undefined;
  readonly firstAt: string;
  readonly lastAt: string;
}

export interface NodeRefusal {
  readonly image: string;
  readonly status: number;
  readonly error: string;
  readonly times: number;
  readonly at: string;
}

export interface NodeRow {
  readonly name: string;
  readonly address: string;
  readonly role: string;
  /** Joined, failed, …; empty where only its pulls are known. */
  readonly state: string;
  readonly message?: string | undefined;
  readonly lastAt: string;
  readonly bytes: number;
  readonly bytesPerSecond: number;
  /** The newest last. */
  readonly pulls: readonly NodePull[];
  /** What it asked for and did not get. */
  readonly refused: readonly NodeRefusal[];
}

export interface BootstrapRow {
  readonly id: string;
  readonly title: string;
  readonly lane: string;
  readonly state: string;
  readonly startedAt?: string | undefined;
  readonly endedAt?: string | undefined;
  readonly durationMs?: number | undefined;
  readonly limitMs: number;
  readonly waitsFor?: string | undefined;
  readonly lastError?: string | undefined;
  readonly tries?: number | undefined;
  /** The lines that told of it. */
  readonly lines: readonly { readonly place: string; readonly text: string }[];
}

export interface BootstrapData {
  readonly verdict: string;
  readonly at: string;
  readonly current?: string | undefined;
  readonly steps: readonly BootstrapRow[];
  readonly abstract: readonly { readonly title: string; readonly state: string }[];
}

export interface ClusterData {
  readonly at: string;
  /** Asked now, read from logs, or seen by the wait of a run. */
  readonly from: 'api' | 'logs' | 'run';
  readonly progress: string;
  /** Operators, nodes, members of etcd and requests for certificates. */
  readonly parts: readonly PartHistory[];
}

export interface MirrorData {
  readonly host: string;
  /** Undefined where that cannot be seen. */
  readonly running: boolean | undefined;
  readonly requests: number;
  readonly refused: number;
  readonly sentBytes: number;
  /** Bytes sent to clients over time. */
  readonly sent: ByteSeries;
  readonly blobs: number;
  readonly storedBytes: number;
  readonly freeBytes: number;
  readonly certificate?:
    | { readonly subject: string; readonly validTo: string; readonly days: number }
    | undefined;
}

export interface ConfigFile {
  readonly path: string;
  readonly text: string;
  /** Lines of the last run but one, where they differ. */
  readonly before?: string | undefined;
}

export interface RehearsalData {
  readonly at: string;
  readonly clean: boolean;
  readonly images: number;
  readonly pullable: number;
  readonly registries: readonly string[];
  readonly unchecked: readonly string[];
  readonly findings: readonly {
    readonly title: string;
    readonly cause: string;
    readonly severity: 'hole' | 'warning';
    readonly rule: string;
    readonly commands: readonly string[];
    readonly evidence: readonly string[];
    readonly images: readonly { readonly name: string; readonly reason: string }[];
  }[];
}
