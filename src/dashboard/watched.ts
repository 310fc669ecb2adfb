import type { Context } from '../core/context.ts';
import type { PageData, SectionName, SiteFacts } from './model/page-data.ts';
import type { StageName } from './model/run-state.ts';

/** One part of the page, read anew when it is due. */
interface Section {
  /** At most this often: some take a while to read. */
  readonly everyMs: number;
  readonly read: () => Promise<unknown>;
}

export type Sections = Readonly<Partial<Record<SectionName, Section>>>;

/** What a page is of: a site, or one command. */
export interface Watched {
  readonly facts: SiteFacts;
  /** The views it has something for; all where it does not say. */
  readonly views?: readonly string[] | undefined;
  /** The folder of its runs. */
  readonly runs: string;
  readonly stages: readonly StageName[];
  /** Where the key of its cookies is kept. */
  readonly keyFile: string;
  /** Whether a process works on it: a run without an end and without one was interrupted. */
  isWorkedOn(): Promise<boolean>;
  /** What it knows of secrets, so that none is shown. */
  registerSecrets(): Promise<void>;
  /** How the parts of its page are read, given the page as it is. */
  sections(ctx: Context, page: () => PageData): Sections;
  /** Ends what reading has opened. */
  close(): Promise<void>;
}
