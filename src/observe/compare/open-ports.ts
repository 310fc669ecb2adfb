import { type Comparison, firstMatch } from './comparison.ts';

const UNREACHED =
  /(?:[\w.\]-]:|\bport )(?<port>\d{2,5})\b[^:]{0,40}:? .{0,40}?(?:no route to host|i\/o timeout|connection timed out|host is unreachable|Operation timed out)/i;
const PORTS = /^\s*ports:\s*(?<ports>(?:[\d-]+\/(?:tcp|udp)\s*)*)$/;
const SERVICES = /^\s*services:\s*(?<services>[\w\s-]*)$/;
const BY_NAME: Readonly<Record<string, string>> = {
  ssh: '22',
  dns: '53',
  http: '80',
  https: '443',
  nfs: '2049',
  'kube-apiserver': '6443',
};

const holds = (range: string, port: number): boolean => {
  const [from = '', to = from] = range.replace(/\/\w+$/, '').split('-');
  return Number(from) <= port && port <= Number(to);
};

/** A port that does not answer, and what firewalld lets through. */
export const openPorts: Comparison = (lines) => {
  const unreached = firstMatch(lines, UNREACHED);
  const open = firstMatch(lines, PORTS);
  const port = unreached?.match.groups?.port;
  if (!unreached || !open || port === undefined) return undefined;
  const ranges = open.match.groups?.ports?.split(/\s+/).filter((one) => one.endsWith('/tcp')) ?? [];
  const services = firstMatch(lines, SERVICES)?.match.groups?.services?.trim().split(/\s+/) ?? [];
  const isOpen =
    ranges.some((range) => holds(range, Number(port))) ||
    services.some((service) => BY_NAME[service] === port);
  if (isOpen) return undefined;
  return {
    id: 'compared-open-ports',
    cause: `The firewall that is listed does not let port ${port} through: where it is that of the machine that is asked, this is why nothing answers`,
    remedy: `On that machine: "firewall-cmd --permanent --add-port=${port}/tcp", then "firewall-cmd --reload"`,
    evidence: [unreached.line, open.line],
    decides: /unreachable|no-route|unanswered|not-forwarding/,
  };
};
