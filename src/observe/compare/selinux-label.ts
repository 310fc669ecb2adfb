import type { EvidenceLine } from '../evidence.ts';
import { type Comparison, firstMatch } from './comparison.ts';

/** A row of "ls -Z", old and new. */
const LABELLED = /(?:^|\s)\w+_u:object_r:(?<type>\w+_t):s0\S*\s+(?<path>\/[\w./@+-]*)\s*$/;
/** What "matchpathcon" answers. */
const EXPECTED = /^(?<path>\/[\w./@+-]+)\s+\w+_u:object_r:(?<type>\w+_t):s0/;
const REFUSED = /permission denied|\bEACCES\b/i;
/** Labels of files that nobody labelled for a service. */
const NOBODYS = /^(?:unlabeled|default|user_home|admin_home|user_tmp|etc_runtime)_t$/;

interface Label {
  readonly path: string;
  readonly type: string;
  readonly line: EvidenceLine;
}

const labelsBy = (lines: readonly EvidenceLine[], row: RegExp): readonly Label[] =>
  lines.flatMap((line) => {
    const { path, type } = row.exec(line.text)?.groups ?? {};
    return path && type ? [{ path, type, line }] : [];
  });

const DECIDES = /access-denied|says-permission|says-file-missing|permissions$|mislabelled/;

/** What a file is labelled, and what the policy expects there, or who is refused it. */
export const selinuxLabel: Comparison = (lines) => {
  const labels = labelsBy(lines, LABELLED);
  const expected = labelsBy(lines, EXPECTED);
  for (const label of labels) {
    const other = expected.find(({ path, type }) => path === label.path && type !== label.type);
    if (other) return mislabelled(label, `the policy expects ${other.type}`, other.line);
  }
  const refused = firstMatch(lines, REFUSED)?.line;
  const barred = labels.find(
    ({ path, type }) => NOBODYS.test(type) && refused?.text.includes(path) && path !== '/',
  );
  return barred && refused
    ? mislabelled(barred, 'services and containers may not use that', refused)
    : undefined;
};

const mislabelled = ({ path, type, line }: Label, why: string, other: EvidenceLine) => ({
  id: 'compared-selinux-label',
  cause: `SELinux keeps others out of ${path}: it is labelled ${type}, and ${why}`,
  remedy: `Give it the label of its place ("restorecon -Rv ${path}"), or one of its own ("semanage fcontext"); what is mounted into a container takes the label of containers with :z or :Z`,
  evidence: [line, other],
  decides: DECIDES,
});
