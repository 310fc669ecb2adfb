import { type Comparison, listed } from './comparison.ts';
import { nodeRows, type ShownNode } from './node-table.ts';

const isReady = ({ status }: ShownNode): boolean => !status.startsWith('NotReady');
const isCordoned = ({ status }: ShownNode): boolean => status.includes('SchedulingDisabled');

/** What else the table tells of nodes that are not ready. */
function besides(ill: readonly ShownNode[], well: readonly ShownNode[]): string {
  const versions = new Set(well.map(({ version }) => version));
  const isOther = versions.size > 0 && ill.some(({ version }) => !versions.has(version));
  if (ill.some(isCordoned))
    return isOther
      ? '. Cordoned, and with another version than the rest: an update of its configuration or system has begun there and did not come to its end'
      : '. Cordoned: an update of its configuration has begun there, or somebody drained it';
  return isOther ? '. Its kubelet has another version than the rest' : '';
}

/** A table of nodes that says of some that they are not ready, where nothing else tells more. */
export const nodesNotReady: Comparison = (lines) => {
  const nodes = nodeRows(lines);
  const ill = nodes.filter((one) => !isReady(one));
  if (ill.length === 0) return undefined;
  const names = listed(ill.map(({ name }) => name));
  const are = ill.length === 1 ? 'is' : 'are';
  return {
    id: 'compared-nodes-not-ready',
    cause: `${names} ${are} not ready, of ${nodes.length} that are shown${besides(ill, nodes.filter(isReady))}`,
    remedy:
      'Conditions and events of the node say why ("oc describe node NAME"); where its kubelet only stopped posting, look at it from its console: power, network, "journalctl -u kubelet -u crio". Of a cordoned one read "oc describe mcp" and the machine-config-daemon of that node',
    evidence: ill.map(({ line }) => line),
    // It says less than any error does.
    decides: /^$/,
  };
};
