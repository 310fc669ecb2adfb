import { createHash } from 'node:crypto';

// One JSON object per line, with a checksum of the rest of its line:
//
//   {"seq":7,"at":"…",…,"sum":"1f0c…"}

const SUM_LENGTH = 12;

function sumOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, SUM_LENGTH);
}

export function encodeLine(record: object): string {
  const body = JSON.stringify(record).slice(0, -1);
  return `${body}${body === '{' ? '' : ','}"sum":"${sumOf(body)}"}\n`;
}

/** The record of one line, or undefined when the line is torn or altered. */
export function decodeLine(line: string): Record<string, unknown> | undefined {
  const match = /^(?<body>\{.*?),?"sum":"(?<sum>[0-9a-f]+)"\}$/s.exec(line);
  const { body, sum } = match?.groups ?? {};
  if (body === undefined || sumOf(body) !== sum) return undefined;
  const { sum: _sum, ...record } = JSON.parse(line);
  return record;
}
