import type { Context } from '../../core/context.ts';
import type { Resources } from '../api/resources.ts';
import { certificatesCheck } from './certificates.ts';
import type { Check, CheckResult } from './check.ts';
import { catalogsCheck, egressCheck, pinnedCheck, signaturesCheck } from './checks-content.ts';
import {
  nodesCheck,
  operatorsCheck,
  poolsCheck,
  releaseOf,
  requestsCheck,
  versionCheck,
} from './checks-control-plane.ts';
import { provenanceCheck, pullsCheck } from './provenance.ts';
import { type ClusterSnapshot, type Expectation, takeSnapshot } from './snapshot.ts';

type Part = keyof ClusterSnapshot['unread'];

/** Every check with what it reads: what may not be read leaves it unknown. */
const CHECKS: readonly { readonly check: Check; readonly reads: readonly Part[] }[] = [
  { check: versionCheck, reads: ['versions'] },
  { check: operatorsCheck, reads: ['operators'] },
  { check: nodesCheck, reads: ['nodes'] },
  { check: poolsCheck, reads: ['pools', 'registries', 'digestMirrors', 'tagMirrors'] },
  { check: requestsCheck, reads: ['requests'] },
  { check: pullsCheck, reads: ['pods'] },
  { check: provenanceCheck, reads: ['pods', 'nodes', 'pools', 'registries'] },
  { check: catalogsCheck, reads: ['catalogSources', 'clusterCatalogs'] },
  { check: signaturesCheck, reads: ['versions', 'signatures'] },
  { check: certificatesCheck, reads: ['trust', 'signatures', 'nodes'] },
  { check: pinnedCheck, reads: ['pinnedSets', 'poolNodes'] },
  {
    check: egressCheck,
    reads: ['operatorHubs', 'samples', 'monitoring', 'versions', 'clusterCatalogs'],
  },
];

export interface ClusterVerification {
  readonly server: string;
  readonly version: string | undefined;
  /** Every check was made, and holds. */
  readonly holds: boolean;
  readonly checks: readonly CheckResult[];
}

/** Does the cluster live, and from the mirror alone? */
export async function verifyCluster(
  ctx: Context,
  resources: Resources,
  expected: Expectation = {},
): Promise<ClusterVerification> {
  const snapshot = await takeSnapshot(ctx, resources, expected);
  const checks = verifySnapshot(snapshot);
  return {
    server: resources.client.access.server.href,
    version: releaseOf(snapshot)?.version,
    holds: checks.every(({ outcome }) => outcome === 'holds'),
    checks,
  };
}

/** The checks on what was read. */
function verifySnapshot(snapshot: ClusterSnapshot): CheckResult[] {
  return CHECKS.map(({ check, reads }) => {
    const unread = reads.flatMap((part) => snapshot.unread[part] ?? []);
    const found =
      unread.length > 0
        ? { outcome: 'unknown' as const, message: 'it could not be looked at', evidence: unread }
        : check.look(snapshot);
    const { outcome, message, evidence = [], commands = [] } = { commands: undefined, ...found };
    return { check: check.id, title: check.title, outcome, message, evidence, commands };
  });
}
