import type { AtollEvent } from '../../core/events.ts';

/** Shows events while a command runs. Events it does not know must not disturb it. */
export interface Reporter {
  readonly report: (event: AtollEvent) => void;
  /** Takes away what is live on the screen until `resume`. */
  readonly pause: () => void;
  readonly resume: () => void;
  /** Nothing is drawn after this. */
  readonly close: () => void;
}

export type Verbosity = 'quiet' | 'normal' | 'verbose';

/** The part of a stream that reporters use. */
export interface Screen {
  readonly write: (text: string) => unknown;
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  readonly rows?: number | undefined;
}
