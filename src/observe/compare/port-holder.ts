import type { EvidenceLine } from '../evidence.ts';
import { type Comparison, firstMatch, listed } from './comparison.ts';

const TAKEN =
  /address (?:is )?already in use|\baddress in use|port is already allocated|\bEADDRINUSE\b|cannot bind socket/i;
const PORTS = /(?:[:\]#*]|\bport )(\d{2,5})\b/gi;

interface Holder {
  readonly port: string;
  readonly program: string;
  readonly process: string;
  readonly line: EvidenceLine;
}

/** Rows of netstat, ss and lsof that tell who listens where. */
const ROWS: readonly RegExp[] = [
  /^\s*(?:tcp|udp)6?\s.*?[:.](?<port>\d{1,5})\s.*?\s(?<process>\d+)\/(?<program>[\w.-]+)/,
  /^\s*(?:(?:tcp|udp)\s+)?(?:LISTEN|UNCONN)\s.*?:(?<port>\d{1,5})\s.*users:\(\("(?<program>[\w.@:-]+)",pid=(?<process>\d+)/,
  /^(?<program>[\w.-]+)\s+(?<process>\d+)\s+\S+\s.*\b(?:TCP|UDP)\s+\S*:(?<port>\d{1,5})(?:\s+\(LISTEN\))?\s*$/,
];

function holderIn(line: EvidenceLine): readonly Holder[] {
  for (const row of ROWS) {
    const { port, program, process } = row.exec(line.text)?.groups ?? {};
    if (port && program && process) return [{ port, program, process, line }];
  }
  return [];
}

/** Whoever finds a port taken often asks at once who has it. */
export const portHolder: Comparison = (lines) => {
  const taken = firstMatch(lines, TAKEN)?.line;
  if (!taken) return undefined;
  const ports = [...taken.text.matchAll(PORTS)].map(([, port = '']) => port);
  const holders = lines.flatMap(holderIn).filter(({ port }) => ports.includes(port));
  const [first] = holders;
  if (!first) return undefined;
  const names = holders.map(({ program, process }) => `${program} (process ${process})`);
  return {
    id: 'compared-port-holder',
    cause: `Port ${first.port} is held by ${listed([...new Set(names)])}, as the listing beside it shows`,
    remedy: `Stop or disable ${first.program} there, or give one of the two another address or port`,
    evidence: [taken, ...new Set(holders.map(({ line }) => line))],
    decides: /port-(?:in-use|taken|of-others|bound)/,
  };
};
