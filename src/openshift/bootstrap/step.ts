/** The lanes of a picture of the bootstrap, top to bottom. */
export const LANES = [
  'System',
  'Ignition',
  'CRI-O',
  'kubelet',
  'bootkube',
  'registry',
  'etcd',
  'API server',
  'operators',
  'masters',
  'workers',
] as const;

export type Lane = (typeof LANES)[number];

/** Ways to install in which some steps happen and others do not. */
export type BootstrapVariant = 'bare metal' | 'in place' | 'konnectivity';

/** What a line of a log says about a step. */
export interface StepSignal {
  /** `loop` is a failed attempt of something that is retried for ever; `note` says what it waits for. */
  readonly says: 'started' | 'finished' | 'failed' | 'loop' | 'note';
  /** Where the line is found, as `observe` names origins; by default the journal of the step's service. */
  readonly where?: readonly string[];
  /** A regular expression. A group `note` is shown as what the step is waiting for. */
  readonly pattern: string;
}

const saying =
  (says: StepSignal['says']) =>
  (pattern: string, where?: readonly string[]): StepSignal => ({
    says,
    pattern,
    ...(where ? { where } : {}),
  });
export const started = saying('started');
export const finished = saying('finished');
export const failed = saying('failed');
export const loops = saying('loop');
export const notes = saying('note');

/** One thing that has to happen on the way from power-on to a cluster. */
export interface BootstrapStep {
  readonly id: string;
  readonly title: string;
  readonly lane: Lane;
  /** Number of the abstract step it belongs to; see `ABSTRACT_STEPS`. */
  readonly part?: number;
  /** Longer than this and it is stuck: it may never report a failure of its own. */
  readonly limitMinutes: number;
  readonly waitsFor: string;
  /** The systemd unit that does it, which is also the name of its service record. */
  readonly service?: string;
  /** The stage of the service record that is this step; without one the whole service is. */
  readonly stage?: string;
  /** The line its program prints when it begins, and the one when it is done. */
  readonly starts?: string;
  readonly ends?: string;
  /** Further lines that tell of it. */
  readonly signals?: readonly StepSignal[];
  /** Components of the payload it pulls. */
  readonly components?: readonly string[];
  /** It happens only in this way to install, or in every way but this one. */
  readonly only?: BootstrapVariant;
  readonly unless?: BootstrapVariant;
  /** With it done, the bootstrap is. */
  readonly completes?: true;
  /** Its service never ends; it is done when the command before it is. */
  readonly endsBeforeService?: true;
  /** A failure is noted and the machine goes on. */
  readonly tolerated?: true;
  /** It begins when that step does, or when that one ends, where nothing else says when. */
  readonly startsWith?: string;
  readonly startsAfter?: string;
  /** Goes on beside the others: that it is done says nothing about those before it. */
  readonly parallel?: true;
  /** Its logs are often not gathered: without a sign of it, nothing can be said. */
  readonly oftenUnseen?: true;
  /** Only the log of the installer tells; without one, nothing can be said. */
  readonly seenByInstaller?: true;
}

/** Origins of lines: `kind:machine/unit`. */
export const ANY_UNIT: readonly string[] = ['journal:bootstrap/*'];
export const INSTALLER: readonly string[] = ['installer-log'];
