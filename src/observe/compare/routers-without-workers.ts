import { type Comparison, firstMatch, listed } from './comparison.ts';
import { nodeRows } from './node-table.ts';

const NO_ROUTERS =
  /\bingress\b.{0,300}(?:IngressControllerUnavailable|MinimumReplicasUnavailable|DeploymentUnavailable)|router-default\S*\s+0\/1\s+Pending/;

/** Routers run on workers: where the cluster has none, what is reached through them is not there. */
export const routersWithoutWorkers: Comparison = (lines) => {
  const ill = firstMatch(lines, NO_ROUTERS);
  const nodes = nodeRows(lines);
  const isMade = nodes.length > 0 && nodes.every(({ roles }) => /master|control-plane/.test(roles));
  if (!ill || !isMade || nodes.some(({ roles }) => roles.includes('worker'))) return undefined;
  const names = listed(nodes.map(({ name }) => name));
  return {
    id: 'compared-routers-without-workers',
    cause: `The routers have no node to run on: the cluster has only control plane nodes (${names}), and no worker has joined`,
    remedy:
      'Bring the workers in: look for requests that wait ("oc get csr | grep Pending"), and at why the machines do not ask. Where the control plane is to carry all, set mastersSchedulable in scheduler/cluster and point the balancer of 80 and 443 at it',
    evidence: [ill.line, ...nodes.slice(0, 2).map(({ line }) => line)],
    decides: /says-|lb-not-forwarding|ingress/,
  };
};
