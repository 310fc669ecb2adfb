/** One line of a log, taken apart. Times are UTC, as on the machines that wrote them. */
export interface LogLine {
  readonly message: string;
  readonly at?: Date | undefined;
  readonly host?: string | undefined;
  /** Systemd unit without its suffix, where the line or its program tells. */
  readonly unit?: string | undefined;
}

/** Takes a raw line apart. `modified` is when its file was last written: short dates have no year. */
export type LineDecoder = (raw: string, modified: Date) => LogLine;
