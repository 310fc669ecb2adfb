import { newestBefore } from './dates.ts';
import type { LogLine } from './log-line.ts';

/** Programs of Kubernetes, where no journal is around their lines: `E1112 10:41:03.123456    2011 kubelet.go:96] text`. */
const KLOG = /^[IWEF](\d\d)(\d\d) (\d\d):(\d\d):(\d\d)(\.\d+)?\s+\d+ [\w./-]+:\d+\] /;

/** The line as it is, for rules know it by its head, with its time; undefined where it is none of these. */
export function decodeKlog(raw: string, reference: Date): LogLine | undefined {
  const match = KLOG.exec(raw);
  if (!match) return undefined;
  const [month = 0, day = 0, hours, minutes, seconds, part = 0] = match.slice(1).map(Number);
  if (month < 1 || month > 12 || day < 1 || day > 31) return { message: raw };
  const millis = Math.floor((part || 0) * 1000);
  const at = newestBefore(reference, (year) =>
    Date.UTC(year, month - 1, day, hours, minutes, seconds, millis),
  );
  return { message: raw, at };
}
