import type { EvidenceLine } from '../evidence.ts';

/** A row of "oc get nodes". */
export interface ShownNode {
  readonly line: EvidenceLine;
  readonly name: string;
  /** `NotReady,SchedulingDisabled` */
  readonly status: string;
  readonly roles: string;
  /** Of its kubelet. */
  readonly version: string;
}

const NODE =
  /^\s*(?<name>[a-z0-9][\w.-]*)\s+(?<status>(?:Not)?Ready\S*)\s+(?<roles>[\w,.<>-]+)\s+\d+[smhdy]\w*\s+(?<version>v1\.\d[\w.+-]*)/;

/** Each node once, as it was shown last. */
export function nodeRows(lines: readonly EvidenceLine[]): readonly ShownNode[] {
  const rows = new Map<string, ShownNode>();
  for (const line of lines) {
    const { name, status, roles, version } = NODE.exec(line.text)?.groups ?? {};
    if (name && status && roles && version) rows.set(name, { line, name, status, roles, version });
  }
  return [...rows.values()];
}
