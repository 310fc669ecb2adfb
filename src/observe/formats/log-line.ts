/** One line of a log, taken apart. Times are UTC, as on the machines that wrote them. */
export interface LogLine {
  readonly message: string;
  readonly at?: Date | undefined;
  readonly host?: string | undefined;
  /** Systemd unit without its suffix, where the line or its program tells. */
  readonly unit?: string | undefined;
}

/** Takes a raw line apart. Short dates have no year: theirs ends at most a day after `reference`. */
export type LineDecoder = (raw: string, reference: Date) => LogLine;
