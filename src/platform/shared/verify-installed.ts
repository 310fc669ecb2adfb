import { waitFor } from '../../cluster/api/wait.ts';
import { applyAll } from '../../cluster/apply/apply.ts';
import { withCluster } from '../../cluster/connect.ts';
import type { CheckResult } from '../../cluster/verify/check.ts';
import { type ClusterVerification, verifyCluster } from '../../cluster/verify/verify.ts';
import { AtollError } from '../../core/errors.ts';
import type { OpenPlatform, PlatformSite } from '../platform.ts';
import { installedKubeconfig } from './installer.ts';

const MINUTE_MS = 60_000;

/** What comes by itself after a change: the rest is as true now as in an hour. */
const SETTLING: ReadonlySet<string> = new Set([
  'version',
  'operators',
  'nodes',
  'pools',
  'requests',
  'pulls',
  'catalogs',
  'pinned',
]);

interface SettleOptions {
  /** How long operators, pools and catalogs may take to settle. */
  readonly settleMs?: number | undefined;
  readonly everyMs?: number | undefined;
}

/** Brings a cluster that is up what the mirror wants it to have, then proves that it lives from it. */
export function verifyInstalled(
  { paths }: Pick<PlatformSite, 'paths'>,
  { settleMs = 20 * MINUTE_MS, everyMs }: SettleOptions = {},
): Pick<OpenPlatform, 'verify'> & { readonly plan: readonly string[] } {
  const kubeconfig = installedKubeconfig(paths);
  return {
    plan: [
      'bring mirror sets, catalogs, trust and signatures to the cluster and wait for its nodes',
      'prove that the cluster lives, and from the mirror alone',
    ],
    async verify(ctx, { wanted }) {
      const { objects, expected } = await wanted();
      return await withCluster(ctx, { kubeconfig }, async (resources) => {
        const pools = { timeoutMs: 60 * MINUTE_MS, everyMs };
        const catalogs = { timeoutMs: 10 * MINUTE_MS, everyMs };
        await applyAll(ctx, resources, objects, { wait: { pools, catalogs } });
        const look = async () => {
          const seen = await verifyCluster(ctx, resources, expected);
          const failing = seen.checks.filter(({ outcome }) => outcome !== 'holds');
          const lasting = failing.some(({ check }) => !SETTLING.has(check));
          if (failing.length === 0 || lasting) return { done: true, value: seen } as const;
          return { done: false, reason: failing.map(wordsOf).join('; ') } as const;
        };
        const title = 'the cluster to settle';
        const hint = 'See what is wrong, with evidence: atoll verify';
        const waiting = { task: 'verify', title, timeoutMs: settleMs, everyMs, hint, look };
        return told(await waitFor(ctx, waiting));
      });
    },
  };
}

const wordsOf = ({ title, message, evidence }: CheckResult) =>
  `${title}: ${message}${evidence[0] ? ` (${evidence[0]})` : ''}`;

function told({ server, version, holds, checks }: ClusterVerification) {
  const failing = checks.filter(({ outcome }) => outcome !== 'holds');
  if (!holds)
    throw new AtollError(
      'CLUSTER_FAILED',
      `The cluster is up, but not what it should be\n  ${failing.map(wordsOf).join('\n  ')}`,
      {
        hint: [...new Set(failing.flatMap(({ commands }) => commands))].join('; ') || undefined,
        details: { server, failing: failing.map(({ check }) => check).join(', ') },
      },
    );
  const found = checks.map(({ check, message }) => [check, message] as const);
  return { server, version: version ?? '', checks: Object.fromEntries(found) };
}
