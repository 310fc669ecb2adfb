import { readPlainly } from '../plain/read-plainly.ts';
import type { Comparison } from './comparison.ts';

const TASK = /\bTASK \[(?<task>[^\]]{3,160})\] \*/;
const FAILED = /(?:fatal|failed): \[[^\]]+\].{0,300}=> /;

/** Which task of a playbook it was stands in the line before its error. */
export const ansibleTask: Comparison = (lines) => {
  const at = lines.findLastIndex(({ text }) => FAILED.test(text));
  const failed = lines[at];
  const begun = failed && lines.slice(0, at).findLast(({ text }) => TASK.test(text));
  const task = begun && TASK.exec(begun.text)?.groups?.task;
  const reading = failed && readPlainly(failed.text);
  if (!task || !reading?.id.startsWith('says-ansible')) return undefined;
  return {
    id: reading.id,
    cause: `In the task "${task}": ${reading.cause}`,
    remedy: reading.remedy,
    evidence: [begun, failed],
    decides: /^says-ansible/,
  };
};
